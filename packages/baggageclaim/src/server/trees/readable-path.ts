import { realpath, stat } from 'node:fs/promises';
import { posix } from 'node:path';
import { BaggageclaimError } from '../../protocol/baggageclaim-error.ts';
import { isWithin } from './is-within.ts';

export interface ReadablePath {
  readonly path: string;
  /** Whoever reads a pipe waits for ever, and a device may never end: both are `other`. */
  readonly kind: 'file' | 'directory' | 'other';
}

/**
 * The file or directory that a path means once its links are followed. They may lead anywhere below `root`, which is
 * no link itself, and nowhere else: a step can make links, and must not read with them what is not its own.
 */
export async function readablePath(path: string, root: string): Promise<ReadablePath> {
  if (!posix.isAbsolute(path)) throw new BaggageclaimError('bad-request', `not an absolute path: ${path}`);
  const found = await realpath(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT' || cause.code === 'ENOTDIR') throw notFound(path, cause);
    throw new BaggageclaimError('bad-request', `cannot read ${path}: ${cause.message}`, { cause });
  });
  if (!isWithin(found, root)) {
    throw new BaggageclaimError('forbidden', `${path} leads out of the sandbox's volumes`);
  }
  const info = await stat(found);
  return { path: found, kind: info.isFile() ? 'file' : info.isDirectory() ? 'directory' : 'other' };
}

function notFound(path: string, cause: Error): BaggageclaimError {
  return new BaggageclaimError('not-found', `there is no ${path}`, { cause });
}
