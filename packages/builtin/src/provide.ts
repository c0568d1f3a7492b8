import { execFile } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { access, chmod, constants, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

export type BuiltInName = 'git' | 'registry-image' | 'time';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = ['packages/builtin/src', 'packages/oci/src'];
const FLAGS = ['--compile', '--minify', '--no-compile-autoload-dotenv', '--no-compile-autoload-bunfig'];
/** Programs of the machine that a type runs. */
const NEEDS: Readonly<Record<BuiltInName, readonly string[]>> = {
  git: ['git'],
  'registry-image': ['tar'],
  time: [],
};

/** Types whose programs the machine has. */
export async function offeredTypes(path: string = process.env['PATH'] ?? ''): Promise<BuiltInName[]> {
  const has = (program: string) =>
    Promise.any(path.split(delimiter).map((dir) => access(join(dir, program), constants.X_OK))).then(
      () => true,
      () => false,
    );
  const names = Object.keys(NEEDS) as BuiltInName[];
  const offered = await Promise.all(
    names.map(async (name) => (await Promise.all(NEEDS[name].map(has))).every(Boolean)),
  );
  return names.filter((_, i) => offered[i]);
}

/**
 * Makes the programs of all types below `dir`, unless they are there, and returns each type's directory: show it read-only
 * at /opt/resource of a sandbox that has the machine's own programs. Idempotent; a process that is killed leaves nothing
 * that counts. Throws, in words, where Bun (an optional npm package) is missing.
 */
export async function provideBuiltInTypes(dir: string): Promise<Readonly<Record<BuiltInName, string>>> {
  const bun = join(ROOT, 'node_modules/@oven', `bun-linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`, 'bin/bun');
  if (!existsSync(bun)) throw new Error(`the built-in resource types need Bun: run npm install in ${ROOT}`);
  const final = join(dir, await sourceKey());
  if (!existsSync(final)) await build(bun, dir, final);
  return { git: join(final, 'git'), 'registry-image': join(final, 'registry-image'), time: join(final, 'time') };
}

async function build(bun: string, dir: string, final: string): Promise<void> {
  const partial = join(dir, `.${randomUUID()}`);
  await mkdir(partial, { recursive: true });
  try {
    const program = join(partial, 'program');
    const main = join(import.meta.dirname, 'main.ts');
    await promisify(execFile)(bun, ['build', ...FLAGS, '--outfile', program, main], { cwd: ROOT });
    await chmod(program, 0o755);
    for (const name of Object.keys(NEEDS)) {
      await mkdir(join(partial, name));
      await link(program, join(partial, name, 'program'));
      for (const action of ['check', 'in', 'out']) {
        const script = `#!/bin/sh\nexec /opt/resource/program ${name} ${action} "$@"\n`;
        await writeFile(join(partial, name, action), script, { mode: 0o755 });
        await chmod(join(partial, name, action), 0o755); // whatever the umask
      }
    }
    await rename(partial, final).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error; // somebody else was quicker
    });
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Names the sources and the version of Bun. */
async function sourceKey(): Promise<string> {
  const hash = createHash('sha256').update(await readFile(join(ROOT, 'package-lock.json')));
  for (const source of SOURCES) {
    const files = await readdir(join(ROOT, source), { recursive: true });
    for (const name of files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts')).sort()) {
      hash.update(`${source}/${name}\0`).update(await readFile(join(ROOT, source, name)));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
