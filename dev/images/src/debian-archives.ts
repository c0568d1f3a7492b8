import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce } from '@seaplane/dev-toolchain/build-once.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { RunError, type RunResult, run } from '@seaplane/dev-toolchain/run.ts';

/**
 * Package archives that are unpacked into an image. They are never installed here, so what this machine has, or lacks,
 * does not show in the image.
 */
export interface DebianArchives {
  /** `name=version` of each, sorted: the key of whatever is made of them. */
  readonly versions: readonly string[];
  readonly progress: Progress;
}

/** With this apt believes that nothing is installed. */
const BARE = ['-o', 'Dir::State::status=/dev/null'];

/** The newest versions of exactly these packages. */
export async function debianArchives(names: readonly string[], progress: Progress): Promise<DebianArchives> {
  const { stdout } = await withPackageLists(['apt-cache', ...BARE, '--no-all-versions', 'show', ...names], progress);
  const versions = stdout
    .split(/\n\n+/)
    .map((stanza) => [/^Package: (.+)$/m.exec(stanza)?.[1], /^Version: (.+)$/m.exec(stanza)?.[1]])
    .filter(([name, version]) => name && version)
    .map(([name, version]) => `${name}=${version}`);
  return { versions: versions.sort(), progress };
}

/** The newest versions of these packages and all that they depend on. */
export async function debianClosure(names: readonly string[], progress: Progress): Promise<DebianArchives> {
  const command = ['apt-get', ...BARE, '--simulate', '--no-install-recommends', 'install', ...names];
  const { stdout } = await withPackageLists(command, progress);
  const versions = [...stdout.matchAll(/^Inst (\S+) \((\S+) /gm)].map(([, name, version]) => `${name}=${version}`);
  return { versions: versions.sort(), progress };
}

/** Unpacks the archives over each other into `into`, which may hold symbolic links in place of directories. */
export async function unpackDebian(archives: DebianArchives, into: string): Promise<void> {
  const dir = await downloaded(archives);
  for (const file of (await readdir(dir)).sort()) {
    const script = 'set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$2"';
    await run('bash', ['-c', script, 'unpack', join(dir, file), into]);
  }
}

function downloaded({ versions, progress }: DebianArchives): Promise<string> {
  return buildOnce({
    name: 'debian',
    inputs: versions,
    progress,
    build: async (into) => {
      // As root apt would rather download as a user of its own, who cannot write here; its warning says only that.
      await run('apt-get', ['-q', '-o', 'APT::Sandbox::User=root', 'download', ...versions], { cwd: into });
    },
  });
}

async function withPackageLists(command: readonly string[], progress: Progress): Promise<RunResult> {
  const [program = '', ...args] = command;
  const env = { ...process.env, LC_ALL: 'C' };
  const first = await run(program, args, { env, ok: 'any' }).catch((cause: unknown) => {
    if (!(cause instanceof RunError)) throw cause;
    throw new Error('the images are made of Debian packages, and this is not a Debian system to get them on', {
      cause,
    });
  });
  if (first.code === 0) return first;
  progress('the package lists are missing or old: apt-get update ...');
  await run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', 'update'], { env, ok: 'any' });
  return run(program, args, { env });
}
