import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { cacheDir } from './cache-dir.ts';
import { withFileLock } from './file-lock.ts';
import type { Progress } from './progress.ts';
import { run } from './run.ts';

const POLICY = '/usr/sbin/policy-rc.d';
/** The text says whose the file is, so that the next process removes a file that a killed one left behind. */
const FORBID_ALL = '#!/bin/sh\n# Seaplane, while it installs packages: no service is started.\nexit 101\n';

/** Installs the missing ones among the named Debian packages. Throws, naming them, where that is not possible. */
export async function ensureDebianPackages(names: readonly string[], progress: Progress): Promise<void> {
  const needed = missingPackages(names);
  const refusal = refusalOf(needed);
  if (refusal) throw new Error(refusal);
  if (needed.length === 0) return;
  await withFileLock(
    `${cacheDir()}/apt.lock`,
    async () => {
      const missing = missingPackages(names);
      if (missing.length > 0) await withoutStartingServices(() => install(missing, progress));
    },
    () => progress('waiting for another process that installs packages ...'),
  );
}

/** Why these packages, which are missing, can't be installed here; undefined when they can, or none is missing. */
export function refusalOf(missing: readonly string[]): string | undefined {
  if (missing.length === 0) return undefined;
  if (!existsSync('/usr/bin/apt-get')) {
    return `these tools are needed and this is not a Debian system to install them on: ${missing.join(', ')}`;
  }
  return isRoot() ? undefined : `missing Debian packages; as root: apt-get install ${missing.join(' ')}`;
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

export function missingPackages(names: readonly string[]): string[] {
  if (!existsSync('/usr/bin/dpkg-query')) return [...names];
  const query = ['-W', '-f=${Package} ${db:Status-Status}\n', ...names];
  const { stdout } = spawnSync('dpkg-query', query, { encoding: 'utf8' });
  const installed = new Set(
    stdout
      .split('\n')
      .filter((line) => line.endsWith(' installed'))
      .map((line) => line.split(' ')[0]),
  );
  return names.filter((name) => !installed.has(name));
}

async function install(missing: readonly string[], progress: Progress): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const args = [
    '-y',
    '-q',
    '-o',
    'Dpkg::Use-Pty=0',
    '-o',
    'DPkg::Lock::Timeout=300',
    'install',
    '--no-install-recommends',
  ];
  progress(`installing Debian packages: ${missing.join(' ')} ...`);
  const first = await run('apt-get', [...args, ...missing], { env, ok: 'any' });
  if (first.code === 0) return;
  progress('the package lists are missing or old: apt-get update ...');
  await run('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', 'update'], { env, ok: 'any' });
  await run('apt-get', [...args, ...missing], { env });
}

/** Packages must not start daemons: policy-rc.d forbids it while they install. */
async function withoutStartingServices(action: () => Promise<void>): Promise<void> {
  const found = await readFile(POLICY, 'utf8').catch(() => undefined);
  if (found !== undefined && found !== FORBID_ALL) return action(); // the machine has a policy of its own
  await writeFile(POLICY, FORBID_ALL, { mode: 0o755 });
  try {
    await action();
  } finally {
    await rm(POLICY, { force: true });
  }
}
