import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { layBusyboxSystem } from '../busybox-tree.ts';
import { cInputs, compileC } from '../compile-c.ts';
import { debianArchives, unpackDebian } from '../debian-archives.ts';
import { DEFAULT_PATH, type Recipe } from '../recipe.ts';
import { layTree } from '../tree.ts';

const SOURCES = join(import.meta.dirname, '../../mock');

/** The rules of its programs are in SPEC.md. */
export const mock: Recipe = {
  summary: 'the resource type that the acceptance suite is written against, which is also the image of its tasks',
  async prepare(progress) {
    const archives = await debianArchives(['busybox-static', 'bash-static', 'libjansson-dev'], progress);
    return {
      config: { Cmd: ['/bin/sh'], Env: [DEFAULT_PATH] },
      inputs: [...archives.versions, ...(await cInputs(SOURCES, progress))],
      async fill(rootfs, scratch) {
        const debian = join(scratch, 'debian');
        const program = join(scratch, 'mock');
        await mkdir(debian);
        await unpackDebian(archives, debian);
        await compileC({
          dir: SOURCES,
          output: program,
          includes: [join(debian, 'usr/include')],
          libraries: [await findJansson(debian), '-lm'],
        });
        await layBusyboxSystem(rootfs, join(debian, 'bin/busybox'));
        await layTree(rootfs, {
          'bin/bash': { copyOf: join(debian, 'bin/bash-static') }, // `sh` stays busybox: it must work without this
          'bin/printenv': { link: '../opt/resource/mock' },
          'opt/resource/mock': { copyOf: program },
          'opt/resource/check': { link: 'mock' },
          'opt/resource/in': { link: 'mock' },
          'opt/resource/out': { link: 'mock' },
        });
      },
    };
  },
};

/** The directory below usr/lib is named after the processor. */
async function findJansson(debian: string): Promise<string> {
  const files = await readdir(join(debian, 'usr/lib'), { recursive: true });
  const archive = files.find((file) => file.endsWith('/libjansson.a'));
  if (!archive) throw new Error('libjansson-dev has no static archive');
  return join(debian, 'usr/lib', archive);
}
