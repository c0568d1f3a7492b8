import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce } from '@seaplane/dev-toolchain/build-once.ts';
import { CONCOURSE, concourseSource } from '@seaplane/dev-toolchain/concourse.ts';
import type { Progress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';

/** Change it when the recipe below changes: it is part of the cache's key. */
const RECIPE = '1';
const PARTS = ['fixtures', 'helpers', 'test', 'package.json', 'package-lock.json'];

/** Gets Concourse's own browser tests and the packages that their lock file names, once. No script of a package runs. */
export function buildBrowserSuite(progress: Progress): Promise<string> {
  return buildOnce({
    name: 'browser-suite',
    inputs: [CONCOURSE.version, RECIPE],
    progress,
    build: async (into) => {
      const wats = join(await concourseSource(), 'web', 'wats');
      for (const part of PARTS) await cp(join(wats, part), join(into, part), { recursive: true });
      await run('chmod', ['-R', 'u+w', into]);
      await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: into });
    },
  });
}

/** A copy of the tests for one run, which write into their directory. The packages stay in the cache. */
export async function copyBrowserSuite(suite: string, into: string): Promise<void> {
  await rm(into, { recursive: true, force: true });
  await mkdir(into, { recursive: true });
  for (const part of PARTS) await cp(join(suite, part), join(into, part), { recursive: true });
  await symlink(join(suite, 'node_modules'), join(into, 'node_modules'));
}
