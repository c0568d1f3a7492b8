export * from './events.ts';
export { Drained, Interruption, type InterruptionKind } from './interruption.ts';
export type * from './seams.ts';
