import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeWhole } from '@seaplane/dev-toolchain/write-whole.ts';
import { CONTROLLERS_ENABLED, type Layout } from '../layout.ts';

export interface MachineCgroups {
  readonly root: string;
  /** The file in which is written down which controllers the first cluster has enabled. */
  readonly enabled: string;
  /** Controllers without which the kubelet does not start. */
  readonly needed: readonly string[];
}

const MACHINE: MachineCgroups = {
  root: '/sys/fs/cgroup',
  enabled: CONTROLLERS_ENABLED,
  needed: ['cpu', 'cpuset', 'memory', 'pids'],
};
/** The kubelet wants it in its root cgroup if the machine has it. */
const OPTIONAL = 'hugetlb';

/** Why there can't be a cluster with the cgroups of this machine. */
export function whyNoCgroups({ root }: MachineCgroups = MACHINE): string | undefined {
  if (isV2(root) || existsSync(join(root, 'cpuset', 'cpuset.cpus'))) return undefined;
  return `the development cluster needs cgroups (version 1 or 2) at ${root}, which this machine does not have.`;
}

/** The kubelet wants its root cgroup to exist, with every controller that it uses. */
export async function makeCgroups(layout: Layout, machine: MachineCgroups = MACHINE): Promise<void> {
  if (!isV2(machine.root)) return makeV1Cgroups(layout, machine.root);
  const has = await words(machine.root, 'cgroup.controllers');
  const missing = machine.needed.filter((name) => !has.includes(name));
  if (missing.length > 0)
    throw new Error(
      `the cgroup controllers ${missing.join(', ')} are missing in ${machine.root}: this is not a whole machine`,
    );
  await enableControllers(machine);
  await mkdir(join(machine.root, layout.cgroup), { recursive: true });
}

/** Removes the cluster's cgroups. A cgroup stays busy for a moment after its last process: tried again until it goes. */
export async function removeCgroups(layout: Layout, machine: MachineCgroups = MACHINE): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    for (const path of await cgroupPaths(layout, machine.root)) await removeTree(path);
    if ((await existingCgroups(layout, machine)).length === 0) return;
    await sleep(100);
  }
}

export async function existingCgroups(layout: Layout, { root }: MachineCgroups = MACHINE): Promise<string[]> {
  return (await cgroupPaths(layout, root)).filter((path) => existsSync(path));
}

/** Disables the controllers that the first cluster has enabled, unless somebody else uses them by now. */
export async function restoreControllers({ root, enabled }: MachineCgroups = MACHINE): Promise<void> {
  const ours = await readFile(enabled, 'utf8').catch(() => '');
  for (const name of ours.split(' ').filter(Boolean)) {
    await writeFile(join(root, 'cgroup.subtree_control'), `-${name}`).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EBUSY') throw error;
    });
  }
  await rm(enabled, { force: true });
}

/** Version 2: the children of the root have the controllers that the root enables for them. Written down before it is done. */
async function enableControllers({ root, enabled, needed }: MachineCgroups): Promise<void> {
  const [has, on] = [await words(root, 'cgroup.controllers'), await words(root, 'cgroup.subtree_control')];
  const off = [...needed, OPTIONAL].filter((name) => has.includes(name) && !on.includes(name));
  if (off.length === 0) return;
  const before = await readFile(enabled, 'utf8').catch(() => '');
  await writeWhole(enabled, [before, ...off].filter(Boolean).join(' '));
  for (const name of off) await writeFile(join(root, 'cgroup.subtree_control'), `+${name}`);
}

/** Version 1: a cgroup in each hierarchy. A new cpuset is unusable until it has CPUs and memory. */
async function makeV1Cgroups(layout: Layout, root: string): Promise<void> {
  for (const path of await cgroupPaths(layout, root)) {
    // Clusters do not see the v2 tree of a v1 machine.
    if (!path.startsWith(join(root, 'unified'))) await mkdir(path, { recursive: true });
  }
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const inherited = await readFile(join(root, 'cpuset', file), 'utf8');
    await writeFile(join(root, 'cpuset', layout.cgroup, file), inherited.trim());
  }
}

async function cgroupPaths(layout: Layout, root: string): Promise<string[]> {
  if (isV2(root)) return [join(root, layout.cgroup)];
  const hierarchies = await readdir(root, { withFileTypes: true });
  return hierarchies.filter((entry) => entry.isDirectory()).map((entry) => join(root, entry.name, layout.cgroup));
}

/** Whether version 2 has all of the machine. */
function isV2(root: string): boolean {
  return existsSync(join(root, 'cgroup.controllers'));
}

async function words(root: string, file: string): Promise<string[]> {
  return (await readFile(join(root, file), 'utf8')).trim().split(/\s+/).filter(Boolean);
}

async function removeTree(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(path, entry.name));
  await rmdir(path).catch(() => {});
}
