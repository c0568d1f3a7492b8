export { Artifacts } from './artifacts.ts';
export type { OrchestratorContext } from './build-context.ts';
export { orchestratorFor } from './orchestrator.ts';
export { OrchestratorError, type OrchestratorErrorCode } from './orchestrator-error.ts';
export type * from './records.ts';
export type * from './sandbox-host.ts';
export { SandboxWatch } from './sandbox-watch.ts';
export { type BaseType, chooseWorker, type Worker } from './workers.ts';
