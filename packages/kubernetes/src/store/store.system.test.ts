import { testCluster, whyNoTestCluster } from '@seaplane/dev-cluster/testing';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubernetesHost } from '../kubernetes-host.ts';
import { busyboxSpec, openTestHost, shell, untilPhase } from '../testing/test-host.ts';
import { openTestTarget, type TestTarget } from '../testing/test-target.ts';

const soon = () => AbortSignal.timeout(60_000);

describe.skipIf(whyNoTestCluster())('the store on a real cluster', () => {
  let opened: TestTarget;
  let host: KubernetesHost;

  beforeAll(async () => {
    opened = await openTestTarget(await testCluster(stderrProgress('test cluster')), 'seaplane-store-test');
    host = await openTestHost(opened.target);
  });
  afterAll(async () => {
    host?.[Symbol.dispose]();
    await opened?.[Symbol.asyncDispose]();
  });

  test('[KUBE-HST13] a step runs from an image that the store made of another step’s output, pulled by the node', async () => {
    await host.create(busyboxSpec('builder'), soon());
    await untilPhase(host, 'builder', 'ready', soon());
    const builder = await host.connect('builder');
    const build =
      'mkdir -p /tmp/build/made/rootfs && cd /tmp/build/made && cp -a /bin /etc rootfs && echo built >rootfs/mark';
    await shell(builder, 'build', `${build} && echo '{}' >metadata.json`, soon());

    const store = await host.store();
    await store.pullArtifact('made', 'team', [builder.sourceOf('/tmp/build/made')], soon());
    const { path, digest } = await store.makeImage('made', 'team', soon());
    const reference = await host.imageReference(path, digest);
    expect(reference).toMatch(/^127\.0\.0\.1:\d+\/.+@sha256:[0-9a-f]{64}$/);
    await host.create(busyboxSpec('runner', { image: { reference } }), soon());
    await untilPhase(host, 'runner', 'ready', soon());
    expect(await shell(await host.connect('runner'), 'look', 'cat /mark', soon())).toBe('built\n');
  });

  test('[KUBE-OWN2] a web with another database leaves pods and store alone, and reports them', async () => {
    const pods = async () => (await opened.kubectl(['get', 'pods', '-o', 'jsonpath={.items[*].metadata.uid}'])).stdout;
    await host.create(busyboxSpec('theirs'), soon());
    await untilPhase(host, 'theirs', 'ready', soon());
    await host.store();
    const before = await pods();
    using other = await openTestHost({ ...opened.target, installation: 'another' });
    expect(await other.list(soon())).toEqual([]);
    await other.destroy('theirs');
    await expect(other.store()).rejects.toMatchObject({ code: 'name-taken' });
    const { usable, problems } = await other.check(soon());
    expect(usable).toBe(false);
    expect(problems.join('\n')).toContain('belongs to another installation of Seaplane (test)');
    expect(await pods()).toBe(before);
    await host.destroy('theirs');
  });

  test('[KUBE-HST10] a store that somebody deletes is made again, at the same addresses', async () => {
    const stop = new AbortController();
    const watching = (async () => {
      for await (const _ of host.watch(stop.signal));
    })();
    const store = `store-${opened.target.name}`;
    const uid = async () =>
      (await opened.kubectl(['get', 'pod', store, '-o', 'jsonpath={.metadata.uid}'], { ok: 'any' })).stdout;
    const before = { uid: await uid(), reference: await host.imageReference('x', 'sha256:0') };
    await opened.kubectl(['delete', 'pod', store, '--grace-period=1']);
    await expect.poll(async () => !['', before.uid].includes(await uid()), { timeout: 60_000 }).toBe(true);
    await expect.poll(async () => (await (await host.store()).health(soon())).handle, { timeout: 60_000 }).toBe(store);
    expect(await host.imageReference('x', 'sha256:0')).toBe(before.reference);
    stop.abort();
    await watching;
  });
});
