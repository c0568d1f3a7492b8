import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import { isWithin } from './is-within.ts';

export interface ReadablePath {
  readonly path: string;
  /** Pipes and devices are `other`: reading one may never end. */
  readonly kind: 'file' | 'directory' | 'other';
}

/**
 * Follows the links of a path, and returns the file or directory it leads to. Links may lead anywhere below `root` and nowhere
 * else: a step can make links, and must not read other sandboxes' files through them. `root` itself holds no links.
 */
export async function readablePath(path: string, root: string): Promise<ReadablePath> {
  if (!posix.isAbsolute(path)) throw new BaggageclaimError('bad-request', `not an absolute path: ${path}`);
  const found = await realpath(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') throw notFound(path, cause);
    throw new BaggageclaimError('bad-request', `cannot read ${path}: ${cause.message}`, { cause });
  });
  if (!isWithin(found, root)) {
    throw new BaggageclaimError('forbidden', `${path} leads out of its volume`);
  }
  return { path: found, kind: kindOf(await stat(found)) };
}

export function kindOf(info: Stats): ReadablePath['kind'] {
  return info.isFile() ? 'file' : info.isDirectory() ? 'directory' : 'other';
}

export function notFound(path: string, cause?: Error): BaggageclaimError {
  return new BaggageclaimError('not-found', `there is no ${path}`, cause ? { cause } : {});
}
