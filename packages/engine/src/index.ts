export * from './events.ts';
export type * from './seams.ts';
