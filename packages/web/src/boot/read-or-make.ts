import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Returns the content of a file. If the file does not exist, it is made with the content that `make` returns, readable by
 * this user only. The file appears whole and on disk, or not at all: a kill or a power failure leaves at most a file with
 * another name, which nobody reads. If several processes make the file at once, all of them return the first one's content.
 */
export async function readOrMake(path: string, make: () => string): Promise<string> {
  const existing = await read(path);
  if (existing !== undefined) return existing;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.new`;
  try {
    await writeToDisk(temporary, make());
    // Unlike rename, link does not replace a file that another process has made in the meantime.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await rm(temporary, { force: true });
  }
  await syncDirectory(dirname(path));
  return readFile(path, 'utf8');
}

async function read(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeToDisk(path: string, content: string): Promise<void> {
  await using file = await open(path, 'wx', 0o600);
  await file.writeFile(content);
  await file.sync();
}

/** Makes the names of new files survive a power failure. */
async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path);
  await directory.sync();
}
