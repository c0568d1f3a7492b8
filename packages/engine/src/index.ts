export * from './events.ts';
export { Drained, Interruption, type InterruptionKind } from './interruption.ts';
export { type BuildSignals, runBuild } from './run-build.ts';
export type * from './seams.ts';
export { newSecrets, type Secrets } from './secrets.ts';
