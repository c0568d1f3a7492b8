export { Artifacts } from './artifacts/artifacts.ts';
export type { OrchestratorContext } from './build-context.ts';
export type * from './host/sandbox-host.ts';
export { SandboxWatch } from './host/sandbox-watch.ts';
export { orchestratorFor } from './orchestrator.ts';
export { OrchestratorError, type OrchestratorErrorCode } from './orchestrator-error.ts';
export { type BaseType, chooseWorker, type Worker } from './placement/workers.ts';
export type * from './records.ts';
