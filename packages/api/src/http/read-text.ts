import type { Context } from 'hono';
import { ApiError } from '../api-error.ts';

/** Larger than any pipeline's configuration. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads the body of a request as text. Refuses a body that is too large without reading it to its end. */
export async function readText(c: Context, maxBytes = MAX_BYTES): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of c.req.raw.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new ApiError('too-large', `the body is larger than ${maxBytes} bytes`);
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}
