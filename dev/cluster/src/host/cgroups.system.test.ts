import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { expect, test } from 'vitest';
import { layoutOf } from '../layout.ts';
import { existingCgroups, makeCgroups, removeCgroups, restoreControllers } from './cgroups.ts';

/** A real tree of version 2: that of the machine, or the one that a machine with version 1 has beside it. */
const ROOT = ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'].find((path) => existsSync(join(path, 'cgroup.controllers')));
/** A number that no other test uses. */
const layout = layoutOf(4);

test.skipIf(whyNoRoot() ?? (ROOT ? undefined : 'the kernel has no cgroup v2 tree'))(
  '[CL16] on a real tree of version 2 the cluster’s cgroup has the controllers, and nothing of it is left',
  async () => {
    const root = ROOT as string;
    const directory = await mkdtemp(join(tmpdir(), 'cgroups-'));
    const machine = { root, enabled: join(directory, 'enabled'), needed: [] };
    const words = async (file: string) => (await readFile(join(root, file), 'utf8')).trim().split(' ').filter(Boolean);
    const before = await words('cgroup.subtree_control');
    try {
      await makeCgroups(layout, machine);
      if ((await words('cgroup.controllers')).includes('hugetlb'))
        expect(await words(`${layout.cgroup}/cgroup.controllers`)).toContain('hugetlb');
      await mkdir(join(root, layout.cgroup, 'kubepods/burstable'), { recursive: true });
    } finally {
      await removeCgroups(layout, machine);
      await restoreControllers(machine);
      await rm(directory, { recursive: true });
    }
    expect(await existingCgroups(layout, machine)).toEqual([]);
    expect(await words('cgroup.subtree_control')).toEqual(before);
  },
);
