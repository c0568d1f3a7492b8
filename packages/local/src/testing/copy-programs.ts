import { execFileSync } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Copies programs of this machine into a tree, with the libraries and the loader that they need, on any processor. */
export async function copyPrograms(tree: string, programs: readonly string[]): Promise<void> {
  const listed = execFileSync('ldd', programs, { encoding: 'utf8' });
  const libraries = listed.match(/\/\S+\.so\S*/g) ?? [];
  for (const path of new Set([...programs, ...libraries.map((line) => line.replace(/:$/, ''))])) {
    await mkdir(dirname(join(tree, path)), { recursive: true });
    await cp(path, join(tree, path), { dereference: true });
  }
}
