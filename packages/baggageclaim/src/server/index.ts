/** The parts of the servers, for a program that serves many sandboxes and a store at one address. */
export { type AppContext, createApp } from './http/app.ts';
export { createContext, type PartOptions } from './http/serve-options.ts';
export { streamOf } from './http/stream-of.ts';
export { carry } from './relay/carry.ts';
export { loadRuntime } from './runtime/load-runtime.ts';
export type { Runtime } from './runtime/runtime.ts';
export { openSandboxServer, type SandboxServer } from './sidecar/serve-sandbox.ts';
export { Accounts } from './store/accounts.ts';
export { ArtifactReceiver } from './store/artifact-receiver.ts';
export { DirectoryStore } from './store/directory-store.ts';
export { readImageArtifact } from './store/image-artifact.ts';
export type { ProvideRegistryImage } from './store/registry-image-messages.ts';
export { imageFacts, ociInWords, settingsOf } from './store/registry-images.ts';
export { parseRootfsMetadata } from './store/rootfs-metadata.ts';
export { type ArtifactImages, addStoreRoutes, locateArtifact } from './store/store-routes.ts';
export { httpPull } from './trees/http-pull.ts';
export { measureTree } from './trees/measure-tree.ts';
export type { CopyHere, ShowHere } from './trees/pull.ts';
