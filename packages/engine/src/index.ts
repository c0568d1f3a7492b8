export * from './events.ts';
export type * from './seams.ts';
export { newSecrets, type Secrets } from './secrets/secrets.ts';
export { Drained, Interruption, type InterruptionKind } from './walk/interruption.ts';
export { type BuildSignals, walkBuild } from './walk/walk-build.ts';
