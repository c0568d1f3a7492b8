export type * from './plan.ts';
export type * from './task-config.ts';
export type * from './values.ts';
