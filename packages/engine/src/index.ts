export { EngineError, type EngineErrorCode } from './engine-error.ts';
export * from './events.ts';
export { formatInstanceVars } from './instance-vars.ts';
export { Drained, Interruption, type InterruptionKind } from './interruption.ts';
export { type BuildSignals, runBuild } from './run-build.ts';
export type * from './seams.ts';
