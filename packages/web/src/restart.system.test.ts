import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestCluster, testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiUser } from './testing/api-user.ts';
import { freePort, RunningWeb, type WebOptions } from './testing/running-web.ts';

const LINES = 60;

/** A task that prints once that it has started, then counts slowly. */
const PIPELINE = `
jobs:
- name: count
  plan:
  - task: count
    config:
      platform: linux
      image_resource: {type: mock, source: {mirror_self: true}}
      run:
        path: sh
        args:
        - -c
        - |
          echo process started
          i=1; while [ $i -le ${LINES} ]; do echo line $i; i=$((i+1)); sleep 0.1; done
`;

describe.skipIf(whyNoTestCluster())('a web that is killed', () => {
  const namespace = `restart-${randomBytes(3).toString('hex')}`;
  const patience = () => AbortSignal.timeout(90_000);
  let cluster: TestCluster;
  let directory: string;
  let options: WebOptions;

  beforeAll(async () => {
    cluster = await testCluster(stderrProgress('test cluster'));
    await cluster.kubectl(['create', 'namespace', namespace]);
    directory = await mkdtemp(join(tmpdir(), 'restart-'));
    await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
    const targetsFile = join(directory, 'targets.json');
    const images = { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } };
    await writeFile(targetsFile, JSON.stringify([{ name: 'test', kubeconfig: cluster.kubeconfig, namespace, images }]));
    options = { port: await freePort(), dataDir: join(directory, 'data'), targetsFile };
  });

  afterAll(async () => {
    await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
    await rm(directory, { recursive: true, force: true });
  });

  test('[ROOM1] after kill -9 in the middle of a task the build is resumed: each line once, one process', async () => {
    const first = await RunningWeb.start(options);
    const user = await ApiUser.login(first.url);
    await user.setPipeline('restart', PIPELINE);
    const build = await user.trigger('restart', 'count');
    await user.log(build, patience(), (log) => log.includes('line 15\r\n'));
    await first.kill('SIGKILL');

    await using second = await RunningWeb.start(options);
    const again = await ApiUser.login(second.url);
    const events = await Array.fromAsync(again.events(build, patience()));
    const log = events
      .filter(({ event }) => event === 'log')
      .map(({ data }) => data.payload)
      .join('');
    const counted = [...log.matchAll(/line (\d+)\r\n/g)].map(([, number]) => Number(number));
    expect(counted).toEqual(Array.from({ length: LINES }, (_, index) => index + 1));
    expect(log.match(/process started/g)).toHaveLength(1);
    expect(events.filter(({ event }) => event === 'start-task')).toHaveLength(1);
    expect(events.filter(({ event }) => event === 'finish-task')).toHaveLength(1);
    expect(await again.status(build)).toBe('succeeded');
  });
});
