import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { writeWhole } from '@seaplane/dev-toolchain/write-whole.ts';
import { SYSCTL_BACKUP } from '../layout.ts';

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

async function readSysctl(name: string): Promise<string> {
  return (await readFile(join('/proc/sys', name), 'utf8')).trim();
}

async function writeSysctl(name: string, value: string): Promise<void> {
  await writeFile(join('/proc/sys', name), value);
}
