import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { openTestTarget, type TestTarget } from '@seaplane/kubernetes/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiUser } from './testing/api-user.ts';
import { freePort, RunningWeb } from './testing/running-web.ts';

const MANY = 40;
const QUOTA = 10;
const PATIENCE = { timeout: 240_000, interval: 500 };
const patience = () => AbortSignal.timeout(900_000);
vi.setConfig({ testTimeout: 900_000, hookTimeout: 1_500_000 });

const task = (name: string, command: string) => `
    - task: ${name}
      config:
        platform: linux
        rootfs_uri: docker:///${imageRef('busybox')}
        inputs: [{name: made, optional: true}]
        outputs: [{name: made}]
        run: {path: sh, args: [-ec, ${JSON.stringify(command)}]}`;

/** Two tasks that hand a file on, and many tasks at once. */
const PIPELINE = `
jobs:
- name: pair
  plan:${task('first', 'sleep 2; echo $((6 * 7)) > made/answer')}${task('second', 'cat made/answer')}
- name: many
  plan:
  - in_parallel:${Array.from({ length: MANY }, (_, index) => task(`t${index}`, `echo part ${index}`)).join('')}
`;

describe.skipIf(whyNoTestCluster())('two targets', () => {
  const targets = new Map<string, TestTarget>();
  let directory: string;
  let web: RunningWeb;
  let user: ApiUser;

  const writeTargets = (extra: Readonly<Record<string, object>> = {}) => {
    const entries = [...targets].map(([name, { kubeconfig, target }]) => ({
      name,
      kubeconfig,
      namespace: target.namespace,
      images: { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } },
      template: { dnsPolicy: 'Default' },
      ...extra[name],
    }));
    return writeFile(join(directory, 'targets.json'), JSON.stringify(entries));
  };
  const untilState = (worker: string, state: string | undefined) =>
    vi.waitFor(async () => expect((await user.workers()).get(worker), web.output).toBe(state), PATIENCE);

  beforeAll(async () => {
    const cluster = await testCluster(stderrProgress('test cluster'));
    for (const name of ['east', 'west']) {
      targets.set(name, await openTestTarget(cluster, `two-${name}-${randomBytes(3).toString('hex')}`));
    }
    directory = await mkdtemp(join(tmpdir(), 'two-targets-'));
    await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
    await writeTargets();
    const targetsFile = join(directory, 'targets.json');
    const flags = ['--container-placement-strategy', 'fewest-build-containers,volume-locality'];
    web = await RunningWeb.start({ port: await freePort(), dataDir: join(directory, 'data'), targetsFile, flags });
    user = await ApiUser.login(web.url);
    await user.setPipeline('two', PIPELINE);
    for (const name of targets.keys()) await untilState(name, 'running');
  });

  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
    for (const target of targets.values()) await target[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true });
  });

  test('[ROOM24] landing one of two targets under load fails no build, and then all steps run on the other', async () => {
    const before = await Promise.all(Array.from({ length: 6 }, () => user.trigger('two', 'pair')));
    await vi.waitFor(async () => {
      const { stdout } = (await targets
        .get('east')
        ?.kubectl(['get', 'pods', '-l', 'seaplane.dev/type=task', '-o', 'name'])) ?? { stdout: '' };
      expect(stdout).not.toBe('');
    }, PATIENCE);
    await user.sendAway('east', 'land');
    const after = await Promise.all(Array.from({ length: 3 }, () => user.trigger('two', 'pair')));
    for (const build of [...before, ...after]) {
      const log = await user.log(build, patience());
      expect(await user.status(build), `${log}\n${web.output}`).toBe('succeeded');
      expect(log).toContain('42');
    }
    await untilState('east', 'landed');
    const last = await user.trigger('two', 'pair');
    const chosen: unknown[] = [];
    for await (const { event, data } of user.events(last, patience()))
      if (event === 'selected-worker') chosen.push(data);
    expect(chosen).toEqual([1, 2].map(() => expect.objectContaining({ selected_worker: 'west' })));
  });

  test('[ROOM23] nothing is left in the namespace of a retired target, which runs again when its entry has changed', async () => {
    const kinds = 'pods,services,persistentvolumeclaims,networkpolicies,secrets';
    const ours = async () =>
      (
        await targets.get('east')?.kubectl(['get', kinds, '-l', 'seaplane.dev/worker=east', '-o', 'name'])
      )?.stdout.trim();
    expect(await ours()).not.toBe('');
    await user.sendAway('east', 'retire');
    await untilState('east', undefined);
    await vi.waitFor(async () => expect(await ours()).toBe(''), PATIENCE);
    await writeTargets({ east: { keptPods: 3 } });
    await untilState('east', 'running');
    expect(web.output).toContain('worker east has changed in the targets file');
  });

  test('[ROOM25] forty steps at once run to their end through a quota of ten pods', async () => {
    await user.sendAway('east', 'land');
    const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'pods' } };
    const input = JSON.stringify({ ...quota, spec: { hard: { pods: String(QUOTA) } } });
    await targets.get('west')?.kubectl(['apply', '-f', '-'], { input });
    const build = await user.trigger('two', 'many');
    const log = await user.log(build, patience());
    expect(await user.status(build), `${log}\n${web.output}`).toBe('succeeded');
    for (let index = 0; index < MANY; index++) expect(log).toContain(`part ${index}`);
    expect(log).toContain('waiting for room on the worker west');
  });
});
