import { canonicalJson } from './canonical-json.ts';
import { type Content, writeDocument } from './content.ts';
import { type Descriptor, MediaType, type Platform } from './descriptor.ts';
import type { Layer } from './layer.ts';
import { OciError } from './oci-error.ts';

/** How a container of the image runs. Field names are those of the image format. */
export interface ContainerConfig {
  readonly Env?: readonly string[];
  readonly User?: string;
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
  readonly Labels?: Readonly<Record<string, string>>;
}

export interface Image {
  readonly layers: readonly Layer[];
  readonly config: ContainerConfig;
  /** Default: Linux on this machine's processor. */
  readonly platform?: Platform;
}

const EPOCH = '1970-01-01T00:00:00Z';

/** Stores the configuration and the manifest of an image whose layers are stored already. Returns the manifest's descriptor. */
export async function writeImage(content: Content, image: Image): Promise<Descriptor> {
  const platform = image.platform ?? thisPlatform();
  const config = await writeDocument(content, canonicalJson(imageConfig(image, platform)));
  const manifest = {
    schemaVersion: 2,
    mediaType: MediaType.manifest,
    config: { mediaType: MediaType.config, ...config },
    layers: image.layers.map((layer) => layer.descriptor),
  };
  return { mediaType: MediaType.manifest, ...(await writeDocument(content, canonicalJson(manifest))), platform };
}

function imageConfig({ layers, config }: Image, platform: Platform) {
  return {
    ...platform,
    created: EPOCH, // equal images must have equal digests, whenever they were made
    config,
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.diffId) },
    history: layers.map(() => ({ created: EPOCH, created_by: 'seaplane' })),
  };
}

/** The platform of this process, in Go's names, which the image format uses. */
export function thisPlatform(arch: string = process.arch): Platform {
  const architecture = { x64: 'amd64', arm64: 'arm64' }[arch];
  if (!architecture) throw new OciError('bad-value', `no image platform for the processor ${arch}`);
  return { architecture, os: 'linux' };
}
