import { join } from 'node:path';
import { layBusyboxSystem } from '../busybox-tree.ts';
import { debianArchives, unpackDebian } from '../debian-archives.ts';
import { DEFAULT_PATH, type Recipe } from '../recipe.ts';

/** Its `wget` crashes on `-T`: never pass that. */
export const busybox: Recipe = {
  summary: 'a shell and the usual small tools (Debian busybox-static)',
  async prepare(progress) {
    const archives = await debianArchives(['busybox-static'], progress);
    return {
      config: { Cmd: ['/bin/sh'], Env: [DEFAULT_PATH] },
      inputs: archives.versions,
      async fill(rootfs, scratch) {
        await unpackDebian(archives, scratch);
        await layBusyboxSystem(rootfs, join(scratch, 'bin/busybox'));
      },
    };
  },
};
