import type { IncomingMessage } from 'node:http';
import { BaggageclaimError } from '../protocol/baggageclaim-error.ts';
import { readUpTo } from './http-client.ts';

export interface AskedFile {
  readonly path: string;
  readonly maxBytes: number;
}

/** Reads the answer with a file's bytes. Throws `too-large`, with the limit and the size, if there are too many. */
export async function readFileAnswer(answer: IncomingMessage, { path, maxBytes }: AskedFile): Promise<Buffer> {
  const size = answer.headers['content-length'];
  if (size !== undefined && Number(size) > maxBytes) answer.destroy();
  else {
    const bytes = await readUpTo(answer, maxBytes);
    if (bytes) return bytes;
  }
  const has = size === undefined ? '' : `: it has ${size} bytes`;
  throw new BaggageclaimError('too-large', `${path} is larger than the limit of ${maxBytes} bytes${has}`);
}
