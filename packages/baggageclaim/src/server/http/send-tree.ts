import { readFile, stat } from 'node:fs/promises';
import type { Context } from 'hono';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ReadablePath } from '../trees/readable-path.ts';
import { pack } from '../trees/tar.ts';
export const TAR = 'application/x-tar';
const LARGEST_FILE = 64 * 1024 * 1024;

export function sendTree(c: Context, runtime: Runtime, { path, kind }: ReadablePath): Response {
  if (kind !== 'directory') throw new BaggageclaimError('bad-request', `${path} is no directory`);
  return c.body(pack(runtime, path), 200, { 'Content-Type': TAR });
}

export async function sendFile(c: Context, { path, kind }: ReadablePath) {
  if (kind !== 'file') throw new BaggageclaimError('bad-request', `${path} is no regular file`);
  const { size } = await stat(path);
  if (size > LARGEST_FILE) throw new BaggageclaimError('bad-request', `${path} is larger than 64 MiB`);
  return c.body(await readFile(path), 200, { 'Content-Type': 'application/octet-stream' });
}
