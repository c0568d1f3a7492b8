import { chmod, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';

const FLAGS = ['-std=c17', '-D_GNU_SOURCE', '-Wall', '-Wextra', '-Werror', '-O2', '-static', '-s'];

/** The C sources of a folder, and the compiler: what a program built of them depends on. */
export async function cInputs(dir: string, progress: Progress): Promise<(string | Uint8Array)[]> {
  await ensureDebianPackages(['gcc', 'libc6-dev'], progress);
  const compiler = await run('gcc', ['--version']);
  const libc = await run('dpkg-query', ['-W', 'libc6-dev']); // linked into the program
  const files = (await readdir(dir)).filter((name) => /\.[ch]$/.test(name)).sort();
  const sources = await Promise.all(files.map((name) => readFile(join(dir, name))));
  return [compiler.stdout, libc.stdout, FLAGS.join(' '), ...files, ...sources];
}

export interface CProgram {
  /** All `*.c` files of this folder, in it, by relative names: its own path must not get into the program. */
  readonly dir: string;
  readonly output: string;
  readonly includes?: readonly string[];
  /** Static archives and `-l` flags. */
  readonly libraries?: readonly string[];
}

/** Compiles a folder into one static, stripped program. */
export async function compileC({ dir, output, includes = [], libraries = [] }: CProgram): Promise<void> {
  const sources = (await readdir(dir)).filter((name) => name.endsWith('.c')).sort();
  const include = includes.flatMap((path) => ['-isystem', path]);
  await run('gcc', [...FLAGS, ...include, '-o', output, ...sources, ...libraries], {
    cwd: dir,
    env: { ...process.env, LC_ALL: 'C', SOURCE_DATE_EPOCH: '0' },
  });
  await chmod(output, 0o755);
}
