import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/**
 * Opens a file in a directory that the step can write to. Returns undefined when there is no regular file of this name: a
 * root process of the step may have put a link there, which leads to files of the sidecar, or a pipe, which never ends.
 */
export async function openRegularFile(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      if (['ENOENT', 'ELOOP', 'ENXIO'].includes(error.code ?? '')) return undefined;
      throw error;
    },
  );
  if (!file || (await file.stat()).isFile()) return file;
  await file.close();
  return undefined;
}
