import { createHash } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { ZIG_VERSION, zigCc } from '@seaplane/dev-toolchain/zig.ts';
import { ROOT } from './code-inputs.ts';

/** The supervisor for each system and processor is in the repository, so that nobody who runs Seaplane needs a compiler. */
export const SUPERVISOR_BIN = join(ROOT, 'packages/supervisor/bin');

const SOURCES = join(ROOT, 'packages/supervisor/src');
const FLAGS = ['-std=c17', '-Wall', '-Wextra', '-Werror', '-O2', '-s'];
/** The folders of sources that belong to other systems, and the flags of this one. macOS has no static programs. */
const LINUX = { without: ['darwin/'], flags: ['-D_GNU_SOURCE', '-static'] } as const;
const DARWIN = { without: ['linux/', 'sandbox/'], flags: ['-D_DARWIN_C_SOURCE'] } as const;
const TARGETS = {
  'linux-x64': { target: 'x86_64-linux-musl', system: LINUX },
  'linux-arm64': { target: 'aarch64-linux-musl', system: LINUX },
  'darwin-x64': { target: 'x86_64-macos', system: DARWIN },
  'darwin-arm64': { target: 'aarch64-macos', system: DARWIN },
} as const;
/** Beside the programs: the hash of all that they were made of. */
const MADE_OF = 'made-of';

/** Compiles the supervisor for every system and processor. The same sources give the same bytes on every machine. */
export async function compileSupervisors(into: string, progress: Progress): Promise<string[]> {
  await mkdir(into, { recursive: true });
  const sources = (await sourceFiles()).filter((name) => name.endsWith('.c'));
  const programs = Object.entries(TARGETS);
  for (const [name, { target, system }] of programs) {
    progress(`compiling the supervisor for ${name} (some minutes the first time, since libc is compiled, too) ...`);
    const output = join(into, name);
    const own = sources.filter((source) => !system.without.some((folder) => source.startsWith(folder)));
    // Relative names: the path of the sources must not get into the program.
    await zigCc(['-target', target, ...FLAGS, ...system.flags, '-o', output, ...own], SOURCES, progress);
    await chmod(output, 0o755);
  }
  await writeFile(join(into, MADE_OF), `${await hashOfSources()}\n`);
  return [...programs.map(([name]) => name), MADE_OF];
}

/** Whether the programs in the repository were made of the sources in it. */
export async function isCompiled(): Promise<boolean> {
  return (await readFile(join(SUPERVISOR_BIN, MADE_OF), 'utf8')).trim() === (await hashOfSources());
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([ZIG_VERSION, TARGETS, FLAGS]));
  for (const name of await sourceFiles()) {
    const bytes = await readFile(join(SOURCES, name));
    hash.update(`\n${name} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

async function sourceFiles(): Promise<string[]> {
  return (await readdir(SOURCES, { recursive: true })).filter((name) => /\.[ch]$/.test(name)).sort();
}
