import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Digest, hexOf } from './descriptor.ts';
import { DigestMeter } from './digest-meter.ts';
import { OciError } from './oci-error.ts';

/** Blobs under their digests: `blobs/sha256/HEX` below `dir`, as in an OCI image layout. */
export interface Content {
  readonly dir: string;
}

/** Identifies a blob. */
export interface BlobId {
  readonly digest: Digest;
  readonly size: number;
}

export async function openContent(dir: string): Promise<Content> {
  await mkdir(join(dir, 'blobs', 'sha256'), { recursive: true });
  await mkdir(join(dir, 'ingest'), { recursive: true });
  return { dir };
}

/**
 * Stores the bytes of `source` and returns their digest. The blob is invisible until it is complete: it grows under
 * another name and is renamed at the end. A source that fails, or that differs from `expected`, leaves nothing.
 */
export async function writeBlob(content: Content, source: Readable, expected?: BlobId): Promise<BlobId> {
  const partial = join(content.dir, 'ingest', randomUUID());
  const meter = new DigestMeter();
  try {
    await pipeline(source, meter, createWriteStream(partial, { flags: 'wx', flush: true }));
    const found = meter.result();
    if (expected && (expected.digest !== found.digest || expected.size !== found.size)) {
      throw new OciError(
        'digest-mismatch',
        `expected ${expected.digest} (${expected.size} bytes), got ${found.digest} (${found.size} bytes)`,
      );
    }
    await rename(partial, blobPath(content, found.digest));
    return found;
  } finally {
    await rm(partial, { force: true });
  }
}

/** Stores a small document. */
export function writeDocument(content: Content, text: string): Promise<BlobId> {
  return writeBlob(content, Readable.from([Buffer.from(text)], { objectMode: false }));
}

/** Opens a stored blob. The caller reads the stream to its end or destroys it. Throws `unknown-blob`. */
export async function readBlob(content: Content, digest: Digest): Promise<{ size: number; stream: Readable }> {
  const file = await open(blobPath(content, digest)).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'ENOENT' ? new OciError('unknown-blob', `no blob ${digest}`, { cause }) : cause;
  });
  return { size: (await file.stat()).size, stream: file.createReadStream() };
}

/** Where a blob is, or would be. Throws `bad-digest` for a text that is not a digest. */
export function blobPath(content: Content, digest: Digest): string {
  return join(content.dir, 'blobs', 'sha256', hexOf(digest));
}
