export { canonicalJson } from './canonical-json.ts';
export { type BlobId, type Content, openContent, readBlob, writeBlob, writeDocument } from './content.ts';
export { type Descriptor, type Digest, MediaType, type Platform, parseDigest } from './descriptor.ts';
export { type ContainerConfig, type Image, thisPlatform, writeImage } from './image.ts';
export { describeLayer, type Layer, type LayerOptions, layerBytes, layerFromDirectory } from './layer.ts';
export { type NamedImage, writeLayout, writeLayoutArchive } from './layout.ts';
export { OciError, type OciErrorCode } from './oci-error.ts';
export type { Ownership } from './tar-stream.ts';
