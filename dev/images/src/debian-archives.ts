import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce } from '@seaplane/dev-toolchain/build-once.ts';
import { type Progress, silent } from '@seaplane/dev-toolchain/progress.ts';
import { RunError, run } from '@seaplane/dev-toolchain/run.ts';

/**
 * Package archives that are unpacked into an image. They are never installed here, so the packages of this machine make
 * no difference to the image.
 */
export interface DebianArchives {
  /** `name=version` of each, sorted: the key of whatever is made of them. */
  readonly versions: readonly string[];
  readonly progress: Progress;
}

const LISTS = '/var/lib/apt/lists';

/** With this apt believes that nothing is installed. */
const BARE = ['-o', 'Dir::State::status=/dev/null'];

/** The newest versions of exactly these packages. */
export async function debianArchives(names: readonly string[], progress: Progress): Promise<DebianArchives> {
  const answer = await askApt(['apt-cache', ...BARE, '--no-all-versions', 'show', ...names], progress);
  const versions = answer
    .split(/\n\n+/)
    .map((stanza) => [/^Package: (.+)$/m.exec(stanza)?.[1], /^Version: (.+)$/m.exec(stanza)?.[1]])
    .filter(([name, version]) => name && version)
    .map(([name, version]) => `${name}=${version}`);
  return { versions: versions.sort(), progress };
}

/** The newest versions of these packages and all that they depend on. */
export async function debianClosure(names: readonly string[], progress: Progress): Promise<DebianArchives> {
  const command = ['apt-get', ...BARE, '--simulate', '--no-install-recommends', 'install', ...names];
  const answer = await askApt(command, progress);
  const versions = [...answer.matchAll(/^Inst (\S+) \((\S+) /gm)].map(([, name, version]) => `${name}=${version}`);
  return { versions: versions.sort(), progress };
}

/**
 * Unpacks the archives over each other into `into`, which may hold symbolic links in place of directories. Members that
 * match a pattern of `without` are left out; they start with `./`.
 */
export async function unpackDebian(
  archives: DebianArchives,
  into: string,
  without: readonly string[] = [],
): Promise<void> {
  const dir = await downloadOnce(archives);
  const flags = ['--keep-directory-symlink', ...without.map((pattern) => `--exclude=${pattern}`)];
  const script =
    'set -o pipefail; archive=$1 into=$2; shift 2; dpkg-deb --fsys-tarfile "$archive" | tar -x -C "$into" "$@"';
  for (const file of (await readdir(dir)).sort()) {
    await run('bash', ['-c', script, 'unpack', join(dir, file), into, ...flags]);
  }
}

function downloadOnce({ versions, progress }: DebianArchives): Promise<string> {
  return buildOnce({
    name: 'debian',
    inputs: versions,
    progress,
    build: async (into) => {
      // As root, apt prefers to download as a user of its own, who cannot write here, and warns about it.
      const download = ['-q', '-o', 'APT::Sandbox::User=root', 'download', ...versions];
      await run('apt-get', download, { cwd: into }).catch(async (cause: unknown) => {
        await updateLists(progress);
        const why = 'Debian packages could not be downloaded, maybe because newer ones have replaced them';
        throw new Error(`${why}. The package lists are updated: try again. (${(cause as Error).message})`, { cause });
      });
    },
  });
}

/** Returns the answer of apt, from the cache unless the package lists have changed: apt takes a second each time. */
async function askApt(command: readonly string[], progress: Progress): Promise<string> {
  try {
    return await cachedAnswer(command);
  } catch (cause) {
    if (!(cause instanceof RunError)) throw cause;
    if (cause.code === -1) {
      throw new Error('the images are made of Debian packages, and this is not a Debian system to get them on', {
        cause,
      });
    }
    await updateLists(progress);
    return cachedAnswer(command);
  }
}

async function updateLists(progress: Progress): Promise<void> {
  progress('the package lists are missing or old: apt-get update ...');
  await run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', 'update'], { ok: 'any' });
}

async function cachedAnswer(command: readonly string[]): Promise<string> {
  const [program = '', ...args] = command;
  const dir = await buildOnce({
    name: 'debian-answers',
    inputs: [...command, await packageListState()],
    progress: silent,
    build: async (into) => {
      const { stdout } = await run(program, args, { env: { ...process.env, LC_ALL: 'C' } });
      await writeFile(join(into, 'stdout'), stdout);
    },
  });
  return readFile(join(dir, 'stdout'), 'utf8');
}

async function packageListState(): Promise<string> {
  const files = (await readdir(LISTS).catch(() => [])).sort();
  const states = files.map(async (file) => {
    const { mtimeMs, size } = await stat(join(LISTS, file));
    return `${file} ${mtimeMs} ${size}`;
  });
  return (await Promise.all(states)).join('\n');
}
