import { rename, writeFile } from 'node:fs/promises';

/** Writes a file in one step: every reader, also after a crash, finds the old content or the new, never half of it. */
export async function writeWhole(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}
