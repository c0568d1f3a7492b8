import { readFile, stat } from 'node:fs/promises';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { ReadablePath } from './readable-path.ts';

const LARGEST_FILE = 64 * 1024 * 1024;

/** The bytes of a regular file. Throws `bad-request` for anything else, and for a file that is larger than 64 MiB. */
export async function readSmallFile({ path, kind }: ReadablePath): Promise<Uint8Array<ArrayBuffer>> {
  if (kind !== 'file') throw new BaggageclaimError('bad-request', `${path} is not a regular file`);
  const { size } = await stat(path);
  if (size > LARGEST_FILE) throw new BaggageclaimError('bad-request', `${path} is larger than 64 MiB`);
  return readFile(path);
}
