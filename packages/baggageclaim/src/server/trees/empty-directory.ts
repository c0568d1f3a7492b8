import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Removes everything in a directory. Mount points in it remain, emptied. */
export async function emptyDirectory(path: string): Promise<void> {
  await Promise.all((await readdir(path)).map((name) => removeAll(join(path, name))));
}

async function removeAll(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    await emptyDirectory(path); // it is a mount point, or holds one
  }
}
