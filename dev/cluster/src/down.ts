import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { withFileLock } from '@seaplane/dev-toolchain/file-lock.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { existingCgroups, removeCgroups, restoreControllers } from './host/cgroups.ts';
import { restoreSysctls } from './host/kernel.ts';
import { hostLinkLeftovers, removeHostLink } from './host/link.ts';
import { removeMountPoints } from './host/mount-points.ts';
import { findInit, killInit } from './host/namespaces.ts';
import { requireHost } from './host/requirements.ts';
import { type Layout, layoutOf, lockFileOf, MACHINE_LOCK, MAX_CLUSTER_INDEX } from './layout.ts';

/** Ends cluster `index` and removes every trace of it, also of one that crashed. Throws if something can not be removed. */
export async function down(index: number, progress: Progress): Promise<void> {
  const layout = layoutOf(index);
  requireHost();
  await withFileLock(
    lockFileOf(index),
    async () => {
      await removeLeftovers(layout);
      await withFileLock(MACHINE_LOCK, async () => {
        if (await anyCluster()) return;
        await restoreSysctls();
        await restoreControllers();
        await removeMountPoints();
      });
    },
    () => progress(`waiting for another command that works on cluster ${index} ...`),
  );
  const left = await leftovers(index);
  if (left.length > 0) throw new Error(`cluster ${index} is down, but this is left:\n${left.join('\n')}`);
  progress(`cluster ${index} is down, nothing is left`);
}

export async function removeLeftovers(layout: Layout): Promise<void> {
  await killInit(layout);
  await removeHostLink(layout);
  await removeCgroups(layout);
  await rm(layout.state, { recursive: true, force: true });
}

/** Lists what cluster `index` has left on the machine, in words; empty when nothing is left. */
export async function leftovers(index: number): Promise<string[]> {
  const layout = layoutOf(index);
  const init = await findInit(layout);
  const mounts = (await readFile('/proc/self/mountinfo', 'utf8'))
    .split('\n')
    .filter((line) => line.includes(`${layout.state}/`));
  return [
    ...(init ? [`process ${init.pid}`] : []),
    ...mounts.map((line) => `mount ${line.split(' ')[4]}`),
    ...(await hostLinkLeftovers(layout)),
    ...(await existingCgroups(layout)).map((path) => `cgroup ${path}`),
    ...(existsSync(layout.state) ? [`directory ${layout.state}`] : []),
  ];
}

async function anyCluster(): Promise<boolean> {
  for (let index = 0; index <= MAX_CLUSTER_INDEX; index++) if (await findInit(layoutOf(index))) return true;
  return false;
}
