export { canonicalJson } from './canonical-json.ts';
export { blobPath, type Content, openContent, readBlob, writeBlob } from './content.ts';
export { type Descriptor, type Digest, MediaType, type Platform, parseDigest } from './descriptor.ts';
export { type ContainerConfig, thisPlatform, writeImage } from './image.ts';
export { layerFromDirectory } from './layer.ts';
export { writeLayout, writeLayoutArchive } from './layout.ts';
export { loadImage } from './load-image.ts';
export { OciError } from './oci-error.ts';
export { DockerMediaType, digestOf, parseManifest } from './registry/documents.ts';
export { downloadBlob } from './registry/download-blob.ts';
export { type Mirror, type RegistrySettings, withRegistry } from './registry/endpoints.ts';
export { type FetchedImage, fetchImage, fetchManifest, listTags, resolveDigest } from './registry/fetch-documents.ts';
export { hearSocketErrors } from './registry/hear-socket-errors.ts';
export { LayerStore } from './registry/layer-store.ts';
export { findPulled, type PullEvent, type PulledImage, pullImage } from './registry/pull.ts';
export { pushBlob, pushManifest } from './registry/push.ts';
export {
  formatReference,
  parseReference,
  parseRepository,
  type Reference,
  type Repository,
} from './registry/reference.ts';
export { type Access, type Credentials, RegistryClient } from './registry/registry-client.ts';
export { unpackLayer } from './registry/unpack-layer.ts';
export { tarStream } from './tar-stream.ts';
