import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { down, layoutOf, requireInit, runInside, up, whyNoCluster } from '@seaplane/dev-cluster';
import type { TestCluster } from '@seaplane/dev-cluster/testing';
import { imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { openTestTarget, type TestTarget } from '@seaplane/kubernetes/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiUser, type ShownEvent } from './testing/api-user.ts';
import { freePort, RunningWeb } from './testing/running-web.ts';

/** Clusters of this test alone, because their routes are changed. */
const CLUSTERS = { east: 5, west: 6 };
/** Where each store serves pods of its own cluster. */
const STORE_PORT = 7788;
const PATIENCE = { timeout: 240_000, interval: 500 };
const patience = () => AbortSignal.timeout(600_000);
const progress = stderrProgress('two clusters');
vi.setConfig({ testTimeout: 900_000, hookTimeout: 1_500_000 });

/** Fetched in the east, worked on in the west, pushed from the east. */
const PIPELINE = `
resources:
- name: source
  type: mock
  tags: [east]
  source: {initial_version: "7", create_files: {deep/number: "6", tool: "echo worked"}}
jobs:
- name: there-and-back
  plan:
  - get: source
    tags: [east]
  - task: work
    tags: [west]
    config:
      platform: linux
      rootfs_uri: docker:///${imageRef('busybox')}
      inputs: [{name: source}]
      outputs: [{name: made}]
      run:
        path: sh
        args:
        - -ec
        - |
          sh source/tool
          head -c 20000000 /dev/urandom > made/bytes
          echo "sum $(sha256sum < made/bytes)"
          echo $(( $(cat source/deep/number) * $(cat source/version) )) > made/version
  - task: look
    tags: [east]
    config:
      platform: linux
      rootfs_uri: docker:///${imageRef('busybox')}
      inputs: [{name: made}]
      run: {path: sh, args: [-ec, 'echo "sum $(sha256sum < made/bytes)"']}
  - put: source
    tags: [east]
    inputs: [made]
    params: {file: made/version}
`;

describe.skipIf(whyNoCluster())('two clusters without a route between their pods', () => {
  const targets = new Map<string, TestTarget>();
  let directory: string;
  let web: RunningWeb;
  let user: ApiUser;

  beforeAll(async () => {
    for (const [name, index] of Object.entries(CLUSTERS))
      targets.set(name, await openTestTarget(await start(index), name));
    await cutRoutes(CLUSTERS.east, CLUSTERS.west);
    await cutRoutes(CLUSTERS.west, CLUSTERS.east);
    directory = await mkdtemp(join(tmpdir(), 'two-clusters-'));
    await chmod(directory, 0o711); // PostgreSQL runs as another user when we are root
    const entries = [...targets].map(([name, { kubeconfig, target }]) => ({
      name,
      tags: [name],
      kubeconfig,
      namespace: target.namespace,
      images: { baggageclaim: imageRef('baggageclaim'), baseTypes: { mock: imageRef('mock') } },
      template: { dnsPolicy: 'Default' },
    }));
    const targetsFile = join(directory, 'targets.json');
    await writeFile(targetsFile, JSON.stringify(entries));
    web = await RunningWeb.start({ port: await freePort(), dataDir: join(directory, 'data'), targetsFile });
    user = await ApiUser.login(web.url);
    await vi.waitFor(async () => {
      const states = await user.workers();
      expect([states.get('east'), states.get('west')], web.output).toEqual(['running', 'running']);
    }, PATIENCE);
    await user.setPipeline('two', PIPELINE);
  });

  afterAll(async () => {
    await web?.[Symbol.asyncDispose]();
    for (const target of targets.values()) await target[Symbol.asyncDispose]();
    if (directory) await rm(directory, { recursive: true, force: true });
    for (const index of Object.values(CLUSTERS)) await down(index, progress);
  });

  test('[CLUSTERS1] a build gets in one cluster, works in the other and puts in the first, and shows each crossing', async () => {
    await vi.waitFor(async () => expect(await storeAddresses()).toHaveLength(2), PATIENCE);
    const build = await user.trigger('two', 'there-and-back');
    const events: ShownEvent[] = [];
    for await (const event of user.events(build, patience())) events.push(event);
    const log = events.map(({ event, data }) => (event === 'log' ? data.payload : '')).join('');
    expect(await user.status(build), `${log}\n${web.output}`).toBe('succeeded');

    expect(log).toContain('worked');
    const sums = log.match(/sum [0-9a-f]{64}/g);
    expect(sums).toHaveLength(2);
    expect(sums?.[1]).toBe(sums?.[0]);
    expect(log).toContain('pushing version: 42');
    const shown = (wanted: string) => events.filter(({ event }) => event === wanted).map(({ data }) => data);
    const crossing = (from: string, to: string) =>
      expect.objectContaining({
        source_worker: from,
        dest_worker: to,
        volume: expect.any(String),
        origin: { id: expect.any(String) },
      });
    // An artifact that has crossed stays: the put needs no second stream.
    expect(shown('streaming-volume')).toEqual([crossing('east', 'west'), crossing('west', 'east')]);
    const workers = shown('selected-worker').map((data) => (data as { selected_worker?: string }).selected_worker);
    // The version that was put is fetched in the end.
    expect(workers).toEqual(['east', 'west', 'east', 'east', 'east']);
  });

  test('[CLUSTERS1] no pod of one cluster reaches the store of the other', async () => {
    const [east = '', west = ''] = await storeAddresses();
    const probe = async (name: string, address: string) => {
      const { kubectl } = targets.get(name) as TestTarget;
      const pod = `probe-${randomBytes(3).toString('hex')}`;
      const image = ['--image', imageRef('busybox'), '--image-pull-policy=IfNotPresent', '--restart=Never'];
      const script = `nc -w 5 ${address} ${STORE_PORT} < /dev/null 2> /dev/null && echo open || echo closed`;
      await kubectl(['run', pod, ...image, '--', 'sh', '-c', script]);
      await kubectl(['wait', '--for=jsonpath={.status.phase}=Succeeded', `pod/${pod}`, '--timeout=180s']);
      return (await kubectl(['logs', pod])).stdout.trim();
    };
    expect(await probe('east', east)).toBe('open');
    expect(await probe('west', west)).toBe('open');
    expect(await probe('east', west)).toBe('closed');
    expect(await probe('west', east)).toBe('closed');
  });

  async function storeAddresses(): Promise<string[]> {
    const addresses: string[] = [];
    for (const [name, { kubectl }] of targets) {
      const { stdout } = await kubectl(['get', 'pod', `store-${name}`, '-o', 'jsonpath={.status.podIP}']);
      addresses.push(stdout);
    }
    return addresses.filter(Boolean);
  }
});

async function start(index: number): Promise<TestCluster> {
  await down(index, progress);
  const { kubeconfig, kubectl } = await up(index, progress);
  return { kubeconfig, kubectl: (args, options) => run(kubectl, ['--kubeconfig', kubeconfig, ...args], options) };
}

/** Takes the routes from one cluster to the other away, in the network namespace of the first. Web still reaches both. */
async function cutRoutes(from: number, to: number): Promise<void> {
  const init = await requireInit(from);
  const { podCidr, serviceCidr, nodeIp } = layoutOf(to);
  for (const network of [podCidr, serviceCidr, nodeIp])
    await runInside(init, ['ip', 'route', 'add', 'blackhole', network]);
}
