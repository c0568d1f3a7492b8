import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { type RunOptions, run } from '@seaplane/dev-toolchain/run.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killComponent, reviveComponents, startComponent } from './crash.ts';
import { down, leftovers } from './down.ts';
import { findInit, runInside } from './host/namespaces.ts';
import { POD_USERS } from './host/pod-users.ts';
import { whyNoCluster } from './host/requirements.ts';
import { clusterBinaries } from './kubernetes/binaries.ts';
import { targetKubeconfig } from './kubernetes/service-account.ts';
import { layoutOf } from './layout.ts';
import { status } from './status.ts';
import { addedSince, namespacesOf, processesOf, snapshotMachine } from './testing/machine-snapshot.ts';
import { podManifest, serviceManifest } from './testing/manifests.ts';
import { type RunningCluster, up } from './up.ts';

// Numbers of their own, so that a developer's clusters 0 and 1 stay as they are.
const [A, B] = [8, 9];
const progress = stderrProgress('cluster test');
const why = whyNoCluster();
if (why) console.warn(`\nSKIPPED, the development cluster is not tested: ${why}\n`);

describe.skipIf(why !== undefined)('dev/cluster', () => {
  let before: Record<string, string>;
  let a: RunningCluster;
  let b: RunningCluster;

  const kubectl = async (cluster: RunningCluster, args: readonly string[], options: RunOptions = {}) =>
    run(cluster.kubectl, ['--kubeconfig', cluster.kubeconfig, ...args], options);
  const create = (cluster: RunningCluster, ...objects: object[]) =>
    kubectl(cluster, ['create', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
    });
  const field = async (cluster: RunningCluster, object: string, path: string) =>
    (await kubectl(cluster, ['get', object, '-o', `jsonpath={${path}}`])).stdout;
  const ready = (cluster: RunningCluster, name: string) =>
    kubectl(cluster, ['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s']);
  const fetchFrom = (cluster: RunningCluster, pod: string, url: string) =>
    kubectl(cluster, ['exec', pod, '--', 'wget', '-qO-', url]).then(({ stdout }) => stdout.trim());

  beforeAll(async () => {
    await down(A, progress);
    await down(B, progress);
    before = await snapshotMachine();
    a = await up(A, progress);
    b = await up(B, progress);
    await create(a, podManifest('serving', { serves: 'from-a' }), podManifest('client'), serviceManifest('serving'));
    await create(b, podManifest('serving', { serves: 'from-b' }));
    for (const [cluster, pod] of [
      [a, 'serving'],
      [a, 'client'],
      [b, 'serving'],
    ] as const)
      await ready(cluster, pod);
  });

  afterAll(async () => {
    await down(A, progress);
    await down(B, progress);
  });

  const daemonPids = async (index: number) => {
    const names = ['etcd', 'containerd', 'apiserver', 'controllers', 'scheduler', 'kubelet', 'proxy', 'policy'];
    const pids = names.map(
      async (name) => [name, Number(await readFile(join(layoutOf(index).state, 'pid', name), 'utf8'))] as const,
    );
    return Object.fromEntries(await Promise.all(pids)) as Record<string, number>;
  };

  test('[CL1] a second up leaves every process alone', async () => {
    const first = await daemonPids(A);
    const init = await findInit(layoutOf(A));
    await up(A, progress);
    expect(await daemonPids(A)).toEqual(first);
    expect(await findInit(layoutOf(A))).toEqual(init);
    expect(await status(A)).toMatchObject({ state: 'up' });
  });

  test('[CL5] two clusters side by side reach each other by address', async () => {
    const [inA, inB] = await Promise.all([a, b].map((cluster) => field(cluster, 'pod/serving', '.status.podIP')));
    expect(inA).toMatch(/^10\.252\.0\./);
    expect(inB).toMatch(/^10\.253\.0\./);
    expect(await fetchFrom(a, 'client', `http://${inB}:8080/`)).toBe('from-b');
    expect(await (await fetch(`http://${inA}:8080/`)).text()).toBe('from-a\n');
    expect(await (await fetch(`http://${inB}:8080/`)).text()).toBe('from-b\n');
    await kubectl(a, ['get', 'node', 'node8']);
    expect((await kubectl(b, ['get', 'node', 'node8'], { ok: 'any' })).stderr).toContain('not found');
  });

  test('[CL6] the node reaches a NodePort at 127.0.0.1', async () => {
    const port = await field(a, 'service/serving', '.spec.ports[0].nodePort');
    const init = await findInit(layoutOf(A));
    if (!init) throw new Error('the cluster is not up');
    const program = `fetch('http://127.0.0.1:${port}/').then((answer) => answer.text()).then((text) => process.stdout.write(text))`;
    const get = () => runInside(init, ['timeout', '2', process.execPath, '-e', program]).catch(() => '');
    await expect.poll(get, { timeout: 20_000 }).toBe('from-a\n');
  });

  test('[CL15] the user ids of a pod lie in the range that the kubelet was given', async () => {
    const machine = await readFile('/etc/passwd', 'utf8');
    await create(a, podManifest('userns', { hostUsers: false }));
    await ready(a, 'userns');
    const map = await kubectl(a, ['exec', 'userns', '--', 'cat', '/proc/self/uid_map']);
    const [, first = 0, count = 0] = map.stdout.trim().split(/\s+/).map(Number);
    expect(first).toBeGreaterThanOrEqual(POD_USERS.first);
    expect(first + count).toBeLessThanOrEqual(POD_USERS.first + POD_USERS.count);
    expect(await readFile('/etc/passwd', 'utf8')).toBe(machine);
  });

  test('[CL7] a target has exactly the published Role', async () => {
    const target = { ...a, kubeconfig: await targetKubeconfig(A, 'target', a.kubectl, progress) };
    const may = async (...args: string[]) =>
      (await kubectl(target, ['auth', 'can-i', ...args], { ok: 'any' })).stdout.trim();
    expect(await may('create', 'pods')).toBe('yes');
    expect(await may('create', 'pods', '--subresource=portforward')).toBe('yes');
    expect(await may('create', 'pods', '--subresource=exec')).toBe('no');
    expect(await may('get', 'secrets')).toBe('no');
    expect(await may('list', 'pods', '-n', 'default')).toBe('no');
    expect(await may('list', 'nodes')).toBe('no');
    expect((await kubectl(target, ['get', 'pods'])).stderr).toContain('No resources found in target namespace');
  });

  test('[CL8] up starts a component that died, and only that one', async () => {
    const first = await daemonPids(A);
    const { stdout } = await run('cat', [`/proc/${first['scheduler']}/task/${first['scheduler']}/children`]);
    process.kill(Number(stdout.trim()), 'SIGKILL');
    await expect.poll(() => status(A), { timeout: 10_000 }).toMatchObject({ state: 'broken', dead: ['scheduler'] });
    await up(A, progress);
    const { scheduler, ...others } = await daemonPids(A);
    expect(scheduler).not.toBe(first['scheduler']);
    expect(others).toEqual({ ...first, scheduler: undefined });
    expect(await status(A)).toMatchObject({ state: 'up' });
  });

  test('[CL13] the API server and the kubelet are killed and started again, and only they', async () => {
    const first = await daemonPids(A);
    const binaries = await clusterBinaries(progress);
    for (const name of ['apiserver', 'kubelet'] as const) {
      await killComponent(A, name);
      await killComponent(A, name); // finds it dead
      expect(await status(A)).toMatchObject({ state: 'broken', dead: [name] });
      await startComponent(A, name, binaries);
    }
    const second = await daemonPids(A);
    expect(second).toEqual({ ...first, apiserver: second['apiserver'], kubelet: second['kubelet'] });
    const { stdout } = await run('cat', [`/proc/${second['scheduler']}/task/${second['scheduler']}/children`]);
    process.kill(Number(stdout.trim()), 'SIGKILL');
    await expect.poll(() => status(A), { timeout: 10_000 }).toMatchObject({ dead: ['scheduler'] });
    await reviveComponents(A, binaries);
    expect(await status(A)).toMatchObject({ state: 'up' });
  });

  test('[CL9] after kill -9 of the whole cluster, up starts a clean one', async () => {
    const init = await findInit(layoutOf(B));
    if (!init) throw new Error('the cluster is not up');
    process.kill(init.pid, 'SIGKILL');
    await expect.poll(() => status(B), { timeout: 10_000 }).toMatchObject({ state: 'crashed' });
    b = await up(B, progress);
    expect((await kubectl(b, ['get', 'pods'])).stdout).toBe('');
  });

  test('[CL10] down leaves nothing, also after kill -9', async () => {
    const traces = await Promise.all(
      [A, B].map(async (index) => {
        const init = await findInit(layoutOf(index));
        if (!init) throw new Error('the cluster is not up');
        return { namespaces: await namespacesOf(init.pid), cgroup: layoutOf(index).cgroup, init };
      }),
    );
    for (const trace of traces) expect((await processesOf(trace)).length).toBeGreaterThan(15);
    process.kill(traces[1]?.init.pid ?? 0, 'SIGKILL');
    await down(A, progress);
    await down(B, progress);
    expect(await leftovers(A)).toEqual([]);
    expect(await leftovers(B)).toEqual([]);
    for (const trace of traces) expect(await processesOf(trace)).toEqual([]);
    // The kernel takes network namespaces apart in the background.
    const left = async () => addedSince(before, await snapshotMachine());
    await expect.poll(left, { timeout: 10_000 }).toEqual([]);
  });
});
