import { createHash } from 'node:crypto';
import type { Descriptor } from '../descriptor.ts';
import { OciError } from '../oci-error.ts';
import type { RegistryClient } from './registry-client.ts';

/** Connections that end without one new byte, in a row, before the download is given up. */
const MAX_STALLS = 4;

/**
 * The bytes of a blob as they arrive. A connection that is cut is opened again for the rest. The generator ends without
 * an error only when all bytes came and have the digest, so a consumer that commits on success never commits another blob.
 */
export async function* downloadBlob(
  client: RegistryClient,
  { digest, size }: Descriptor,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let received = 0;
  for (let stalls = 0; received < size || size === 0; ) {
    const before = received;
    const range: Record<string, string> = received === 0 ? {} : { range: `bytes=${received}-` };
    const answer = await client.request({
      method: 'GET',
      path: `/blobs/${digest}`,
      headers: { ...range, 'accept-encoding': 'identity' },
      ok: [200, 206],
      signal,
    });
    let skip = answer.status === 206 ? received - startOf(answer.headers['content-range'], received) : received;
    let cut: unknown;
    const chunks = (answer.body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    try {
      for (;;) {
        const next = await chunks.next().catch((error: unknown) => {
          cut = error;
        });
        if (!next || next.done) break;
        const chunk = next.value.subarray(Math.min(skip, next.value.length));
        skip -= next.value.length - chunk.length;
        if (chunk.length === 0) continue;
        received += chunk.length;
        if (received > size) throw mismatch(digest, `the registry sends more than ${size} bytes`);
        hash.update(chunk);
        yield chunk;
      }
    } finally {
      answer.body.destroy();
    }
    signal.throwIfAborted();
    if (size === 0) break;
    stalls = received > before ? 0 : stalls + 1;
    if (received < size && stalls >= MAX_STALLS) {
      throw new OciError(
        'registry-failed',
        `${client.repository.registry}: the download of ${digest} stops at ${received} of ${size} bytes`,
        { cause: cut },
      );
    }
  }
  const found = `sha256:${hash.digest('hex')}`;
  if (found !== digest) throw mismatch(digest, `the registry sent ${found}`);
}

/** Where a part begins. A registry that sends another part than the one asked for is judged by its bytes' digest. */
function startOf(contentRange: string | undefined, asked: number): number {
  const start = Number(/^bytes (\d+)-/.exec(contentRange ?? '')?.[1] ?? asked);
  return Math.min(start, asked);
}

function mismatch(digest: string, why: string): OciError {
  return new OciError('digest-mismatch', `blob ${digest}: ${why}`);
}
