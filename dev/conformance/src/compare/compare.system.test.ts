import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { test as anyTest, expect } from 'vitest';
import { concourseHost } from '../hosts/concourse.ts';
import { localHost } from '../hosts/local.ts';
import { whyNoSuite } from '../testing/why-no-suite.ts';

const test = anyTest.skipIf(concourseHost.whyNot?.() ?? localHost.whyNot?.() ?? whyNoSuite());
const MAIN = join(import.meta.dirname, '../main.ts');
/** The first run builds Concourse, containerd and runc. */
const BUILD_TIMEOUT_MS = 1_500_000;

const TASK = `platform: linux
params: {A: 1, B: {c: [true]}}
run: {path: sh, args: [-c, 'echo "$A $B"; exit 3']}
`;

test('[CONF23] [CONF24] [CONF26] a task and a pipeline are alike on both', { timeout: BUILD_TIMEOUT_MS }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'compare-'));
  try {
    const files = [join(directory, 'task.yml'), join(directory, 'other-types.yml')] as const;
    await writeFile(files[0], TASK);
    await writeFile(
      files[1],
      'resources: [{name: r, type: git, source: {uri: x}}]\njobs: [{name: j, plan: [{get: r}]}]\n',
    );
    const { stdout, code } = await run(process.execPath, [MAIN, '--compare', ...files], { ok: 'any' });
    expect(stdout).toBe(
      `alike     ${files[0]}\nalike     ${files[1]} (builds not run: no worker has the type git)\n` +
        '2 files: 2 alike, 0 different; 0 differences are meant\n',
    );
    expect(code).toBe(0);
  } finally {
    await rm(directory, { recursive: true });
  }
});
