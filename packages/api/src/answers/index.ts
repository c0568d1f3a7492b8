// What a client of the API, such as a browser application, may import: types and nothing that runs.

export type * from '../bodies.ts';
export type * from './build.ts';
export type * from './build-event.ts';
export type * from './causality.ts';
export type * from './info.ts';
export type * from './job.ts';
export type * from './live.ts';
export type * from './pipeline.ts';
export type * from './refusal.ts';
export type * from './resource.ts';
export type * from './routes.ts';
export type * from './session.ts';
export type * from './team.ts';
export type * from './worker.ts';
