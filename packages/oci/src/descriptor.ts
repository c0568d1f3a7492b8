import { OciError } from './oci-error.ts';

export const MediaType = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  layerGzip: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

export type Digest = `sha256:${string}`;

export interface Platform {
  readonly architecture: string;
  readonly os: string;
}

/** Names content by its digest. https://github.com/opencontainers/image-spec/blob/main/descriptor.md */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: Digest;
  readonly size: number;
  readonly platform?: Platform;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Digests become file names and URLs, so every digest from outside goes through here first. Throws `bad-digest`. */
export function parseDigest(text: string): Digest {
  if (!/^sha256:[0-9a-f]{64}$/.test(text)) {
    throw new OciError('bad-digest', `not a sha256 digest: ${JSON.stringify(text.slice(0, 100))}`);
  }
  return text as Digest;
}

/** The part after `sha256:`. */
export function hexOf(digest: Digest): string {
  return parseDigest(digest).slice('sha256:'.length);
}
