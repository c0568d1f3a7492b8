export { canonicalJson } from './canonical-json.ts';
export { blobPath, type Content, openContent, readBlob } from './content.ts';
export type { Digest } from './descriptor.ts';
export { type ContainerConfig, writeImage } from './image.ts';
export { layerFromDirectory } from './layer.ts';
export { writeLayout, writeLayoutArchive } from './layout.ts';
