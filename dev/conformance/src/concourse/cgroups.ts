import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { LAYOUT } from './layout.ts';

const ROOT = '/sys/fs/cgroup';
const ATTEMPTS = 100;

/**
 * Makes a cgroup of Concourse's own in each hierarchy and returns the files that a process writes 0 to in order to join
 * them. runc puts containers below (in the unified hierarchy: beside) the cgroup it runs in, so everything is in one
 * place to remove. That matters for a crash: cgroups are the one thing that does not go with the namespaces.
 */
export async function makeCgroups(): Promise<string[]> {
  const files: string[] = [];
  for (const cgroup of await ourCgroups()) {
    const leaf = join(cgroup, 'daemons');
    for (const directory of [cgroup, leaf]) {
      await mkdir(directory, { recursive: true });
      await inheritCpuset(directory);
    }
    files.push(join(leaf, 'cgroup.procs'));
  }
  return files;
}

/** Removes them. A cgroup stays busy for a moment after its last process has gone, so it is tried until it goes. */
export async function removeCgroups(): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    for (const cgroup of await ourCgroups()) await removeTree(cgroup);
    if (!(await ourCgroups()).some((cgroup) => existsSync(cgroup))) return;
    await sleep(50);
  }
  throw new Error(`a process still lives in the cgroup ${LAYOUT.cgroup}`);
}

async function ourCgroups(): Promise<string[]> {
  if (existsSync(join(ROOT, 'cgroup.controllers'))) return [join(ROOT, LAYOUT.cgroup)];
  const hierarchies = await readdir(ROOT, { withFileTypes: true });
  return hierarchies
    .filter((entry) => entry.isDirectory() && entry.name !== 'unified')
    .map((entry) => join(ROOT, entry.name, LAYOUT.cgroup));
}

/** In the old hierarchy a new cpuset is unusable until it has been given CPUs and memory. */
async function inheritCpuset(directory: string): Promise<void> {
  for (const name of ['cpuset.cpus', 'cpuset.mems']) {
    const inherited = await readFile(join(directory, '..', name), 'utf8').catch(() => undefined);
    if (inherited !== undefined && !existsSync(join(directory, 'cgroup.controllers'))) {
      await writeFile(join(directory, name), inherited.trim());
    }
  }
}

async function removeTree(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(path, entry.name));
  await rmdir(path).catch(() => {}); // busy, or gone already
}
