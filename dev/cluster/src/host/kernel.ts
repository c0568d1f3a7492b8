import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeWhole } from '@seaplane/dev-toolchain/write-whole.ts';
import { type Layout, SYSCTL_BACKUP } from '../layout.ts';

const CGROUP_ROOT = '/sys/fs/cgroup';
/** The empty v2 tree of a v1 machine: the kubelet ignores it, runc makes directories in it. */
const UNIFIED = join(CGROUP_ROOT, 'unified');
const MIN_INOTIFY_INSTANCES = 1024;

/** Settings of the whole machine: the first two are set by `up`, the others by the kubelet. */
export const SYSCTLS = [
  'net/ipv4/ip_forward',
  'fs/inotify/max_user_instances',
  'vm/overcommit_memory',
  'vm/panic_on_oom',
  'kernel/panic',
  'kernel/panic_on_oops',
  'kernel/keys/root_maxkeys',
  'kernel/keys/root_maxbytes',
];

/** Remembers the settings that a cluster changes and sets the ones it needs. */
export async function prepareSysctls(): Promise<void> {
  if (!existsSync(SYSCTL_BACKUP)) {
    const values = await Promise.all(SYSCTLS.map(async (name) => [name, await readSysctl(name)]));
    await mkdir(dirname(SYSCTL_BACKUP), { recursive: true });
    await writeWhole(SYSCTL_BACKUP, JSON.stringify(Object.fromEntries(values)));
  }
  await writeSysctl('net/ipv4/ip_forward', '1');
  if (Number(await readSysctl('fs/inotify/max_user_instances')) < MIN_INOTIFY_INSTANCES) {
    await writeSysctl('fs/inotify/max_user_instances', String(MIN_INOTIFY_INSTANCES));
  }
}

export async function restoreSysctls(): Promise<void> {
  if (!existsSync(SYSCTL_BACKUP)) return;
  const values = JSON.parse(await readFile(SYSCTL_BACKUP, 'utf8')) as Record<string, string>;
  for (const [name, value] of Object.entries(values)) await writeSysctl(name, value);
  await rm(SYSCTL_BACKUP);
}

export function usesCgroupV1(): boolean {
  return existsSync(join(CGROUP_ROOT, 'cpuset', 'cpuset.cpus'));
}

/** The kubelet wants its root cgroup to exist in each hierarchy; a new cpuset is unusable until it has CPUs and memory. */
export async function makeCgroups(layout: Layout): Promise<void> {
  for (const path of await cgroupPaths(layout)) {
    if (!path.startsWith(UNIFIED)) await mkdir(path, { recursive: true });
  }
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const inherited = await readFile(join(CGROUP_ROOT, 'cpuset', file), 'utf8');
    await writeFile(join(CGROUP_ROOT, 'cpuset', layout.cgroup, file), inherited.trim());
  }
}

/** Removes the cluster's cgroups. A cgroup stays busy for a moment after its last process: tried again until it goes. */
export async function removeCgroups(layout: Layout): Promise<void> {
  for (let attempt = 0; attempt < 50; attempt++) {
    for (const path of await cgroupPaths(layout)) await removeCgroupTree(path);
    if ((await existingCgroups(layout)).length === 0) return;
    await sleep(100);
  }
}

export async function existingCgroups(layout: Layout): Promise<string[]> {
  return (await cgroupPaths(layout)).filter((path) => existsSync(path));
}

async function cgroupPaths(layout: Layout): Promise<string[]> {
  const hierarchies = await readdir(CGROUP_ROOT, { withFileTypes: true });
  return hierarchies
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(CGROUP_ROOT, entry.name, layout.cgroup));
}

async function removeCgroupTree(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeCgroupTree(join(path, entry.name));
  await rmdir(path).catch(() => {});
}

async function readSysctl(name: string): Promise<string> {
  return (await readFile(join('/proc/sys', name), 'utf8')).trim();
}

async function writeSysctl(name: string, value: string): Promise<void> {
  await writeFile(join('/proc/sys', name), value);
}
