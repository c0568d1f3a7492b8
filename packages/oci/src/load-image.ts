import { createHash } from 'node:crypto';
import { type Digest, hexOf, type Platform } from './descriptor.ts';
import { type ContainerConfig, thisPlatform } from './image.ts';
import { type LayoutFiles, openLayoutFiles } from './layout-files.ts';
import { OciError } from './oci-error.ts';
import { chooseManifest, digestOf, type Manifest, parseImageConfig, parseManifest } from './registry/documents.ts';
import { type LayerDeps, type LayerEvent, provideLayers } from './registry/provide-layers.ts';

export interface LoadOptions {
  /** Default: Linux on this machine's processor. */
  readonly platform?: Platform;
  readonly onEvent?: (event: LayerEvent) => void;
  readonly signal: AbortSignal;
}

export interface LoadedImage {
  readonly config: ContainerConfig;
  /** Directories of the unpacked layers, the lowest first. */
  readonly layers: readonly string[];
}

/** An index may list other indexes, and those one more: an image of several platforms within a layout of several images. */
const MOST_INDEXES = 3;

/**
 * Unpacks the image of an OCI layout: a directory, or an archive of one (plain or compressed). Layers that are there are not
 * unpacked again. A layout of several images must tell them by platform. Idempotent.
 */
export async function loadImage(deps: LayerDeps, path: string, options: LoadOptions): Promise<LoadedImage> {
  const { platform = thisPlatform(), onEvent = () => {}, signal } = options;
  const files = await openLayoutFiles(path, signal);
  const manifest = await findManifest(files, platform, path);
  const config = parseImageConfig(await documentOf(files, manifest.config.digest), manifest.layers.length, path);
  const layers = await provideLayers(
    deps,
    { layers: manifest.layers, diffIds: config.diffIds },
    ({ digest }, stop) => verified(files.stream(blobName(digest), stop), digest),
    { onEvent, signal },
  );
  return { config: config.config, layers };
}

async function findManifest(files: LayoutFiles, platform: Platform, path: string): Promise<Manifest> {
  let document = parseManifest(await files.read('index.json'), path);
  for (let depth = 1; document.kind === 'index'; depth++) {
    if (depth > MOST_INDEXES) throw new OciError('bad-document', `${path} has indexes of indexes`);
    const [only, ...others] = document.manifests;
    const chosen = only && others.length === 0 ? only : chooseManifest(document, platform, path);
    document = parseManifest(await documentOf(files, chosen.digest), path);
  }
  return document;
}

async function documentOf(files: LayoutFiles, digest: Digest): Promise<Buffer> {
  const bytes = await files.read(blobName(digest));
  const found = digestOf(bytes);
  if (found !== digest) throw new OciError('digest-mismatch', `expected ${digest}, the layout has ${found}`);
  return bytes;
}

async function* verified(bytes: AsyncIterable<Buffer>, digest: Digest): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  for await (const chunk of bytes) {
    hash.update(chunk);
    yield chunk;
  }
  const found = `sha256:${hash.digest('hex')}`;
  if (found !== digest) throw new OciError('digest-mismatch', `expected ${digest}, the layout has ${found}`);
}

function blobName(digest: Digest): string {
  return `blobs/sha256/${hexOf(digest)}`;
}
