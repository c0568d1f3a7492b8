import { rm, stat } from 'node:fs/promises';
import { ServerDirectory } from './directory/server-directory.ts';

/** Deletes an embedded database with all of its files. Throws `directory-in-use` if a program uses it. Idempotent. */
export async function deleteEmbedded(path: string): Promise<void> {
  if (!(await stat(path).catch(() => undefined))) return;
  {
    await using directory = await ServerDirectory.open(path);
    await rm(directory.data, { recursive: true, force: true });
  }
  await rm(path, { recursive: true, force: true });
}
