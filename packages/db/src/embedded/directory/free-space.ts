import { statfs } from 'node:fs/promises';
import { DbError } from '../../errors.ts';

/** Throws `disk-full` if the disk that holds the directory has less than this left. */
export async function requireSpace(directory: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  if (free >= bytes) return;
  throw new DbError(
    'disk-full',
    `The disk that holds ${directory} has ${megabytes(free)} left, and PostgreSQL needs ${megabytes(bytes)}. Make room there, then start again.`,
  );
}

export function diskFull(path: string, cause: unknown): DbError {
  return new DbError('disk-full', `The disk that holds ${path} is full. Make room there, then start again.`, { cause });
}

/** Whether a program of PostgreSQL says that the disk is full. The last one is a write that the disk took half of. */
export function reportsFullDisk(log: string): boolean {
  return /No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/.test(log);
}

function megabytes(bytes: number): string {
  return `${Math.floor(bytes / 1e6)} MB`;
}
