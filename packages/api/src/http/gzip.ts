import { pipeline, Readable } from 'node:stream';
import type { ReadableStream as NodeReadableStream } from 'node:stream/web';
import { constants, createGunzip, createGzip } from 'node:zlib';

// A failure at one end also ends the other: the reader sees the error of the source, and a reader that leaves ends the
// source.

/** Unpacks a gzip'd stream. Calls `onMalformed` if the stream is not gzip'd. */
export function gunzip(
  source: ReadableStream<Uint8Array>,
  onMalformed: (error: Error) => void,
): ReadableStream<Uint8Array> {
  const unpacked = createGunzip();
  // Runs before the reader sees the error.
  unpacked.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code?.startsWith('Z_')) onMalformed(error);
  });
  pipeline(Readable.fromWeb(source as NodeReadableStream), unpacked, () => {});
  return Readable.toWeb(unpacked) as ReadableStream<Uint8Array>;
}

/** Packs a stream, at the fastest level: the result is downloaded only once. */
export function gzip(source: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const packed = createGzip({ level: constants.Z_BEST_SPEED });
  pipeline(Readable.fromWeb(source as NodeReadableStream), packed, () => {});
  return Readable.toWeb(packed) as ReadableStream<Uint8Array>;
}
