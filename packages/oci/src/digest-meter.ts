import { createHash } from 'node:crypto';
import { Transform, type TransformCallback } from 'node:stream';
import type { Digest } from './descriptor.ts';

/** Passes bytes through unchanged, counts them and computes their digest. */
export class DigestMeter extends Transform {
  readonly #hash = createHash('sha256');
  #size = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#hash.update(chunk);
    this.#size += chunk.length;
    done(null, chunk);
  }

  /** Call it once, after the stream has ended. */
  result(): { digest: Digest; size: number } {
    return { digest: `sha256:${this.#hash.digest('hex')}`, size: this.#size };
  }
}
