export * from './events.ts';
export type * from './seams.ts';
export { newSecrets } from './secrets/secrets.ts';
export { Drained, Interruption } from './walk/interruption.ts';
export { mapPlans } from './walk/plan-tree.ts';
export { type BuildSignals, walkBuild } from './walk/walk-build.ts';
