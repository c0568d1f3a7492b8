import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestCluster, testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import { buildFly } from './concourse/fly.ts';
import type { RunningHost } from './hosts/host.ts';
import { startOwnWeb } from './hosts/web.ts';
import { whyNoSuite } from './testing/why-no-suite.ts';

const test = anyTest.skipIf(whyNoTestCluster() ?? whyNoRoot() ?? whyNoSuite());
const progress = stderrProgress('two-workers');
const WEB = join(import.meta.dirname, '../../../packages/web/src/main.ts');
const TIMEOUT_MS = 900_000;

/** Steps without tags run on this machine, steps with tags in pods. */
const PIPELINE = `
resources:
- name: image
  type: mock
  source: {mirror_self: true, initial_version: "1"}
  tags: [pods]
jobs:
- name: there-and-back
  plan:
  - task: here
    config:
      platform: linux
      outputs: [{name: out}]
      run:
        path: sh
        args: [-ec, 'cd out; head -c 20000000 /dev/urandom > bytes; sha256sum bytes > sum; ln -s sum link; mkdir -m 700 d']
  - task: in-a-pod
    tags: [pods]
    config:
      platform: linux
      image_resource: {type: mock, source: {mirror_self: true}}
      inputs: [{name: out}]
      outputs: [{name: back}]
      run:
        path: sh
        args: [-ec, 'cd out; echo "in $(hostname)"; sha256sum -c link; stat -c %a d; cp -a . ../back; echo more > ../back/more']
  - task: here-again
    config:
      platform: linux
      inputs: [{name: back}]
      run:
        path: sh
        args: [-ec, 'cd back; sha256sum -c link; cat more; stat -c "here %a" d']
- name: image
  plan:
  - get: image
    tags: [pods]
  - task: from-the-image
    image: image
    config:
      platform: linux
      run: {path: sh, args: [-c, 'test -x /opt/resource/in && echo ran from the image']}
`;

let cluster: TestCluster;
let directory: string;
let web: RunningHost;
let fly: (...args: string[]) => Promise<{ readonly output: string; readonly code: number }>;
const namespace = `two-workers-${randomBytes(3).toString('hex')}`;

beforeAll(async () => {
  if (whyNoTestCluster() ?? whyNoRoot() ?? whyNoSuite()) return;
  cluster = await testCluster(progress);
  await cluster.kubectl(['create', 'namespace', namespace]);
  directory = await mkdtemp(join(tmpdir(), 'two-'));
  const targets = join(directory, 'targets.json');
  const images = { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } };
  const pods = { name: 'pods', tags: ['pods'], kubeconfig: cluster.kubeconfig, namespace, images };
  await writeFile(
    targets,
    JSON.stringify([{ kind: 'local', name: 'here', directory: join(directory, 'local') }, pods]),
  );
  const { program } = await buildFly(progress);
  web = await startOwnWeb('two-workers', { SEAPLANE_TARGETS: targets, SEAPLANE_LOCAL_USERS: 'test:test' }, progress);
  fly = async (...args) => {
    const env = { HOME: directory, PATH: process.env['PATH'] };
    const { stdout, stderr, code } = await run(program, ['-t', 'x', ...args], { ok: 'any', env });
    return { output: stdout + stderr, code };
  };
  await fly('login', '-c', web.url, '-u', 'test', '-p', 'test');
  await writeFile(join(directory, 'pipeline.yml'), PIPELINE);
  await fly('set-pipeline', '-n', '-p', 'p', '-c', join(directory, 'pipeline.yml'));
  await fly('unpause-pipeline', '-p', 'p');
}, TIMEOUT_MS);

afterAll(async () => {
  await web?.stop();
  if (!directory) return;
  await run(process.execPath, [WEB, '--data-dir', directory, '--reset']);
  await cluster.kubectl(['delete', 'namespace', namespace, '--wait=false']);
  await rm(directory, { recursive: true, force: true });
}, TIMEOUT_MS);

test('[CONF27] a build passes an artifact from this machine to a pod and back', { timeout: TIMEOUT_MS }, async () => {
  const { output, code } = await fly('trigger-job', '-w', '-j', 'p/there-and-back');
  expect(output).toContain('succeeded');
  expect(code).toBe(0);
  expect(output.match(/^bytes: OK\r?$/gm)).toHaveLength(2);
  expect(output).toMatch(/^700\r?$/m);
  expect(output).toMatch(/^here 700\r?$/m);
  expect(output).toMatch(/^more\r?$/m);
  const streamed = [...output.matchAll(/streaming volume\S* \S+ \S*from worker\S* (\S+)/g)].map(([, worker]) => worker);
  expect(streamed).toEqual(['here', 'pods']);
});

test('[CONF27] a task on this machine runs from an image that a pod fetched', { timeout: TIMEOUT_MS }, async () => {
  await fly('check-resource', '-r', 'p/image');
  const { output, code } = await fly('trigger-job', '-w', '-j', 'p/image');
  expect(output).toContain('ran from the image');
  expect(code).toBe(0);
  expect(output).toMatch(/streaming volume.*from worker\S* pods/);
});
