import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoGo } from '@seaplane/dev-toolchain/requirements.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { test as anyTest, expect } from 'vitest';
import { buildFly } from './concourse/fly.ts';
import { startOwnWeb } from './hosts/web.ts';

const test = anyTest.skipIf(whyNoGo());
const progress = stderrProgress('fly-version');
const PIPELINE = 'jobs: [{name: j, plan: [{task: t, config: {platform: linux, run: {path: sh}}}]}]';
const TIMEOUT_MS = 600_000;

/** Runs a fly that says it is 8.2.5 against a web with these settings. */
async function withFly(
  env: Record<string, string>,
  body: (fly: (...args: string[]) => Promise<string>, pipeline: string) => Promise<void>,
): Promise<void> {
  const { program } = await buildFly(progress, '8.2.5');
  const home = await mkdtemp(join(tmpdir(), 'seaplane-fly-'));
  const web = await startOwnWeb('local', { SEAPLANE_LOCAL_USERS: 'test:test', ...env }, progress);
  try {
    const pipeline = join(home, 'pipeline.yml');
    await writeFile(pipeline, PIPELINE);
    const fly = async (...args: string[]) => {
      const { stdout, stderr } = await run(program, ['-t', 'x', ...args], {
        ok: 'any',
        env: { HOME: home, PATH: process.env['PATH'] },
      });
      return stdout + stderr;
    };
    await fly('login', '-c', web.url, '-u', 'test', '-p', 'test');
    await body(fly, pipeline);
  } finally {
    await web.stop();
    await rm(home, { recursive: true, force: true });
  }
}

test('[CONF22] a fly that says it is 8.2.5 works with the default version', { timeout: TIMEOUT_MS }, async () => {
  await withFly({ SEAPLANE_CONCOURSE_VERSION: '' }, async (fly, pipeline) => {
    expect(await fly('status')).toBe('logged in successfully\n');
    expect(await fly('set-pipeline', '-n', '-p', 'p', '-c', pipeline)).toContain('pipeline created!');
    expect(await fly('unpause-pipeline', '-p', 'p')).toContain("unpaused 'p'");
    expect(await fly('trigger-job', '-j', 'p/j')).toContain('started p/j #1');
    expect(await fly('workers')).not.toContain('out of sync');
  });
});

test('[CONF22] a fly that says it is 8.2.5 refuses a web that answers as 7.14.2', { timeout: TIMEOUT_MS }, async () => {
  await withFly({}, async (fly) => {
    expect(await fly('pipelines')).toContain('fly version (8.2.5) is out of sync with the target (7.14.2)');
  });
});
