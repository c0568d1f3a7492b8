import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isWithin } from './is-within.ts';

/**
 * Removes everything in a directory but the mount points below it, which remain, emptied. This server may not see that they
 * are mount points: the step's container has other mounts, and the kernel would undo these if their directory went.
 */
export async function emptyDirectory(path: string, mountPoints: readonly string[] = []): Promise<void> {
  const removeOne = (child: string) =>
    mountPoints.some((point) => isWithin(point, child))
      ? emptyDirectory(child, mountPoints)
      : rm(child, { recursive: true, force: true });
  await Promise.all((await readdir(path)).map((name) => removeOne(join(path, name))));
}
