import type { Context } from 'hono';
import { ApiError } from '../api-error.ts';

/** Larger than any plan. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Reads the body of a request as text. Refuses a body that is too large without reading it to its end. */
export async function readText(c: Context, maxBytes = MAX_BYTES): Promise<string> {
  return new TextDecoder().decode(await readBytes(c, maxBytes));
}

/** The same for a body whose encoding the caller checks. */
export async function readBytes(c: Context, maxBytes: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of c.req.raw.body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new ApiError('too-large', tooLarge(c.req.header('Content-Length'), maxBytes));
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The size is known only if the client announced it. */
function tooLarge(size: string | undefined, maxBytes: number): string {
  return `the body is larger than the limit of ${maxBytes} bytes${size === undefined ? '' : `: it has ${size} bytes`}`;
}
