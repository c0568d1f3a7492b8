export { type AppContext, createApp } from './app.ts';
export type * from './client-interface.ts';
export * from './protocol.ts';
export { openVolumes, type Volumes } from './volumes.ts';
