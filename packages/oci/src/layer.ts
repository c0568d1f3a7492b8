import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type Content, writeBlob } from './content.ts';
import { type Descriptor, type Digest, MediaType } from './descriptor.ts';
import { DigestMeter } from './digest-meter.ts';
import { type Ownership, tarStream } from './tar-stream.ts';

export interface LayerOptions {
  readonly ownership: Ownership;
  /**
   * Default `none`. The same tree gives the same uncompressed layer everywhere; compressed bytes also depend on the
   * zlib of the runtime, so a gzip digest holds only for one build of it.
   */
  readonly compression?: 'none' | 'gzip';
  /** Left out of the layer: exact paths relative to the directory. */
  readonly exclude?: readonly string[];
  readonly signal?: AbortSignal;
}

export interface Layer {
  readonly descriptor: Descriptor;
  /** The digest of the uncompressed tar, which the image's configuration names. */
  readonly diffId: Digest;
}

/** Packs a directory as a layer and stores it. */
export async function layerFromDirectory(content: Content, dir: string, options: LayerOptions): Promise<Layer> {
  const { bytes, layer } = openLayer(dir, options);
  return layer(await writeBlob(content, bytes));
}

function openLayer(dir: string, { ownership, compression = 'none', exclude = [], signal }: LayerOptions) {
  const tar = tarStream({ dir, ownership, members: ['.'], exclude, ...(signal && { signal }) });
  if (compression === 'none') {
    const layer = (id: { digest: Digest; size: number }): Layer => ({
      descriptor: { mediaType: MediaType.layer, ...id },
      diffId: id.digest,
    });
    return { bytes: tar, layer };
  }
  const meter = new DigestMeter();
  const gzip = createGzip();
  pipeline(tar, meter, gzip).catch(() => {}); // an error destroys gzip with it, where the reader sees it
  const layer = (id: { digest: Digest; size: number }): Layer => ({
    descriptor: { mediaType: MediaType.layerGzip, ...id },
    diffId: meter.result().digest,
  });
  return { bytes: gzip as Readable, layer };
}
