import { createHash } from 'node:crypto';
import { type Descriptor, type Digest, MediaType, type Platform, parseDigest } from '../descriptor.ts';
import type { ContainerConfig } from '../image.ts';
import { OciError } from '../oci-error.ts';

export const DockerMediaType = {
  index: 'application/vnd.docker.distribution.manifest.list.v2+json',
  manifest: 'application/vnd.docker.distribution.manifest.v2+json',
  config: 'application/vnd.docker.container.image.v1+json',
  layerGzip: 'application/vnd.docker.image.rootfs.diff.tar.gzip',
} as const;

/** Every kind of document that a tag may name. */
export const MANIFEST_TYPES: readonly string[] = [
  MediaType.index,
  DockerMediaType.index,
  MediaType.manifest,
  DockerMediaType.manifest,
];

export interface Manifest {
  readonly kind: 'manifest';
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

export interface Index {
  readonly kind: 'index';
  readonly manifests: readonly Descriptor[];
}

/** The part of an image's configuration that is used. */
export interface ImageConfig {
  readonly config: ContainerConfig;
  readonly diffIds: readonly Digest[];
  readonly platform: Partial<Platform>;
  readonly created?: string;
}

export function digestOf(bytes: Uint8Array): Digest {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

/** Reads a manifest or an index. Throws `bad-document`. */
export function parseManifest(bytes: Uint8Array, name: string): Manifest | Index {
  const document = objectIn(bytes, name);
  if (Array.isArray(document['manifests'])) {
    return { kind: 'index', manifests: document['manifests'].map((entry) => descriptorIn(entry, name)) };
  }
  if (!Array.isArray(document['layers'])) {
    const what = document['schemaVersion'] === 1 ? 'has a manifest of version 1, which is obsolete' : 'is not an image';
    throw new OciError('bad-document', `${name} ${what}`);
  }
  return {
    kind: 'manifest',
    config: descriptorIn(document['config'], name),
    layers: document['layers'].map((entry) => descriptorIn(entry, name)),
  };
}

/** Reads an image's configuration, which must name one diff id a layer. Throws `bad-document`. */
export function parseImageConfig(bytes: Uint8Array, layers: number, name: string): ImageConfig {
  const document = objectIn(bytes, name);
  const { rootfs, config, architecture, os, created } = document;
  const diffIds = isObject(rootfs) && Array.isArray(rootfs['diff_ids']) ? rootfs['diff_ids'] : [];
  if (diffIds.length !== layers) {
    throw new OciError('bad-document', `${name} has ${layers} layers, and its configuration names ${diffIds.length}`);
  }
  return {
    config: isObject(config) ? (config as ContainerConfig) : {},
    diffIds: diffIds.map((id) => parseDigest(String(id))),
    platform: {
      ...(typeof architecture === 'string' && { architecture }),
      ...(typeof os === 'string' && { os }),
    },
    ...(typeof created === 'string' && { created }),
  };
}

/** The entry of an index for a platform. Throws `bad-document` with the platforms that there are. */
export function chooseManifest({ manifests }: Index, { os, architecture }: Platform, name: string): Descriptor {
  const found = manifests.find((m) => m.platform?.os === os && m.platform.architecture === architecture);
  if (found) return found;
  const platforms = manifests.flatMap((m) => (m.platform ? [`${m.platform.os}/${m.platform.architecture}`] : []));
  const offered = [...new Set(platforms)].filter((platform) => platform !== 'unknown/unknown').join(', ');
  throw new OciError('bad-document', `${name} has no image for ${os}/${architecture}, only for ${offered || 'none'}`);
}

function objectIn(bytes: Uint8Array, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString());
    if (isObject(value)) return value;
  } catch {}
  throw new OciError('bad-document', `a document of ${name} is not a JSON object`);
}

function descriptorIn(value: unknown, name: string): Descriptor {
  if (!isObject(value)) throw new OciError('bad-document', `${name} has a descriptor that is not an object`);
  const { mediaType, digest, size, platform, annotations } = value;
  if (typeof mediaType !== 'string' || typeof digest !== 'string' || !isSize(size)) {
    throw new OciError('bad-document', `${name} has a descriptor without media type, digest or size`);
  }
  return {
    mediaType,
    digest: parseDigest(digest),
    size,
    ...(isObject(platform) && { platform: platform as unknown as Platform }),
    ...(isObject(annotations) && { annotations: annotations as Record<string, string> }),
  };
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
