export { type AppContext, createApp } from './app.ts';
export type * from './client-interface.ts';
export { encodeFrame, type Frame, FrameDecoder } from './frames.ts';
export * from './protocol.ts';
export * from './supervisor-frames.ts';
export { openVolumes, type Volumes } from './volumes.ts';
