import { copyFile, mkdtempDisposable } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BuildOnce, buildOnce, isBuilt } from '@seaplane/dev-toolchain/build-once.ts';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';

/**
 * The sources, as Debian 13 has them. The crun of Debian 12 is too old for pods in user namespaces, and that of Debian 13 needs
 * a newer C library.
 */
const SOURCES = {
  file: 'pool/main/c/crun/crun_1.21.orig.tar.gz',
  sha256: '4bfb700e764a4804a4de3ecf07753f4c391005356d60356df65d80ae0914c486',
};
const NEEDED = ['gcc', 'libc6-dev', 'libcap-dev', 'libseccomp-dev', 'make', 'pkg-config', 'python3'];
/** With yajl inside, the program needs only libraries that every Debian has, also after the packages above have gone. */
const FLAGS = ['--disable-systemd', '--enable-embedded-yajl', '--disable-dependency-tracking', 'CFLAGS=-O2'];
const CRUN: Pick<BuildOnce, 'name' | 'inputs'> = { name: 'crun', inputs: [SOURCES.sha256, ...FLAGS] };

/**
 * The container runtime of the cluster, in C: thirty builds at once cost the cluster 0.7 of the processor time that they cost with runc.
 * Undefined where it can't be built, which is said.
 */
export async function crunProgram(progress: Progress): Promise<string | undefined> {
  try {
    return join(await buildOnce({ ...CRUN, progress, build: (into) => build(into, progress) }), 'crun');
  } catch (error) {
    progress(`crun can't be built here, so containers run with runc, which is slower: ${(error as Error).message}`);
    return undefined;
  }
}

export function isCrunBuilt(): boolean {
  return isBuilt(CRUN);
}

async function build(into: string, progress: Progress): Promise<void> {
  await ensureDebianPackages(NEEDED, progress);
  await using sources = await mkdtempDisposable(join(tmpdir(), 'crun-'));
  const here = { cwd: sources.path };
  await download(join(sources.path, 'sources.tar.gz'));
  await run('tar', ['-xf', 'sources.tar.gz', '--strip-components=1'], here);
  await run('./configure', FLAGS, here);
  await run('make', [`-j${availableParallelism()}`], here);
  await copyFile(join(sources.path, 'crun'), join(into, 'crun'));
}

/** From the mirror that apt has for this machine, through apt's proxy if it has one. */
async function download(to: string): Promise<void> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Component: main']);
  const mirrors = [...new Set(stdout.split('\n').filter(Boolean))];
  let failure: unknown = new Error('apt knows no mirror of Debian');
  for (const mirror of mirrors) {
    const hash = `SHA256:${SOURCES.sha256}`;
    try {
      await run('/usr/lib/apt/apt-helper', ['download-file', new URL(SOURCES.file, mirror).href, to, hash]);
      return;
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
