import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The repository's root. */
export const ROOT = join(import.meta.dirname, '../../..');

/** The TypeScript files of a folder as inputs of a build: names and contents, without tests. */
export async function codeInputs(folder: string): Promise<(string | Uint8Array)[]> {
  const files = (await readdir(join(ROOT, folder), { recursive: true }))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('testing/'))
    .sort();
  const contents = await Promise.all(files.map((name) => readFile(join(ROOT, folder, name))));
  return [...files, ...contents];
}
