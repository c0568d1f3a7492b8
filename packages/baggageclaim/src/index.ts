export { BaggageclaimError, type BaggageclaimErrorCode } from './baggageclaim-error.ts';
export { type ClientOptions, createClient, createClientFactory } from './client/client.ts';
export type * from './client-interface.ts';
export { encodeFrame, type Frame, FrameDecoder } from './frames.ts';
export * from './protocol.ts';
export { createSigner, generateKeys, type Keys, type Signer } from './signer.ts';
export * from './supervisor-frames.ts';
