export { Artifacts } from './artifacts/artifacts.ts';
export { BUILT_IN, builtInTypeOf } from './host/base-types.ts';
export { clearHost } from './host/clear-host.ts';
export { ConfigReader, count, flag, listOf, mapOf, oneOf, text, wrong } from './host/config-reader.ts';
export { HostError, type HostErrorCode } from './host/host-error.ts';
export {
  type ConfiguredWorker,
  type DialTaker,
  type Endpoint,
  type HostKind,
  type HostServices,
  type OpenHost,
  parseWorker,
} from './host/host-kind.ts';
export type * from './host/sandbox-host.ts';
export { SandboxWatch } from './host/sandbox-watch.ts';
export type { WorkerConfig } from './host/worker-config.ts';
export { orchestratorFor } from './orchestrator.ts';
export { OrchestratorError } from './orchestrator-error.ts';
export { PlacementPolicy } from './placement/placement-policy.ts';
export { RoomQueue } from './placement/room-queue.ts';
export { PLACEMENT_DEFAULTS, type PlacementSettings, STRATEGIES, type Strategy } from './placement/strategies.ts';
export { type StepWorker, workersFor } from './placement/workers.ts';
export type * from './records.ts';
export { type Clock, systemClock } from './system-clock.ts';
export { WakeQueue } from './wake-queue.ts';
export { withSignal } from './with-signal.ts';
