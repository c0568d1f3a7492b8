import { IMAGE_NAMES, imageRef } from '@seaplane/dev-images';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { podManifest } from './testing/manifests.ts';
import { type TestCluster, testCluster, whyNoTestCluster } from './testing/test-cluster.ts';

/** Images whose own entry point goes on, or ends well by itself; the others run sleep. */
const HAS_ENTRYPOINT: readonly string[] = ['pause', 'scratch', 'baggageclaim'];
const NAMESPACE = 'seaplane-pods-test';

describe.skipIf(whyNoTestCluster())('pods on a real cluster', () => {
  let cluster: TestCluster;
  const kubectl: TestCluster['kubectl'] = (args, options) => cluster.kubectl(['-n', NAMESPACE, ...args], options);
  const create = (object: object) => kubectl(['create', '-f', '-'], { input: JSON.stringify(object) });
  const field = async (object: string, path: string) =>
    (await kubectl(['get', object, '-o', `jsonpath={${path}}`])).stdout;
  const ready = (name: string) => kubectl(['wait', '--for=condition=Ready', `pod/${name}`, '--timeout=60s']);

  beforeAll(async () => {
    cluster = await testCluster(stderrProgress('test cluster'));
    await kubectl(['delete', 'namespace', NAMESPACE, '--ignore-not-found']);
    await kubectl(['create', 'namespace', NAMESPACE]);
    await kubectl(['wait', '--for=create', 'serviceaccount/default', '--timeout=20s']);
    await create(podManifest('serving', { serves: 'hello' }));
    await create(podManifest('client'));
    await Promise.all([ready('serving'), ready('client')]);
  });

  afterAll(async () => {
    await kubectl(['delete', 'namespace', NAMESPACE, '--wait=false']);
  });

  test.each(IMAGE_NAMES)('[CL2] a pod from the image %s runs', async (image) => {
    const name = `image-${image}`;
    await create(
      podManifest(name, {
        image: imageRef(image),
        ownEntrypoint: HAS_ENTRYPOINT.includes(image),
      }),
    );
    await expect
      .poll(() => field(`pod/${name}`, '.status.containerStatuses[0].state'), { timeout: 60_000 })
      .toMatch(/"(running|terminated)"/);
    const state = await field(`pod/${name}`, '.status.containerStatuses[0].state');
    // Without settings the sidecar ends, and says which one it lacks.
    const log = async () => (await kubectl(['logs', name])).stdout;
    if (image === 'baggageclaim') await expect.poll(log).toContain('SEAPLANE_HANDLE is not set');
    else if (state.includes('terminated')) expect(JSON.parse(state).terminated.exitCode).toBe(0);
    await kubectl(['delete', 'pod', name, '--grace-period=0', '--force', '--wait=false']);
  });

  test('[CL2] root in a user namespace is not root on the node', async () => {
    await create(podManifest('userns', { hostUsers: false }));
    await ready('userns');
    const { stdout } = await kubectl(['exec', 'userns', '--', 'cat', '/proc/self/uid_map']);
    const [inside, outside] = stdout.trim().split(/\s+/);
    expect(inside).toBe('0');
    expect(Number(outside)).toBeGreaterThan(0);
  });

  test('[CL3] logs, exec with stdin and exit status, port-forward', async () => {
    expect((await kubectl(['logs', 'serving'])).stdout).toBe('serving hello\n');
    const upper = await kubectl(['exec', '-i', 'client', '--', 'tr', 'a-z', 'A-Z'], { input: 'abc' });
    expect(upper.stdout).toBe('ABC');
    expect((await kubectl(['exec', 'client', '--', 'sh', '-c', 'exit 42'], { ok: 'any' })).code).toBe(42);

    const stop = new AbortController();
    const forward = kubectl(['port-forward', 'pod/serving', '18480:8080'], { signal: stop.signal }).catch(() => {});
    const page = () =>
      fetch('http://127.0.0.1:18480/').then(
        (response) => response.text(),
        () => '',
      );
    await expect.poll(page, { timeout: 20_000 }).toBe('hello\n');
    stop.abort();
    await forward;
  });

  test('[CL4] a policy that denies egress drops packets silently', async () => {
    const ip = await field('pod/serving', '.status.podIP');
    await create(podManifest('walled', { labels: { hermetic: 'true' } }));
    await ready('walled');
    const ping = async () =>
      (await kubectl(['exec', 'walled', '--', 'ping', '-c', '1', '-w', '2', ip], { ok: 'any' })).stdout;
    expect(await ping()).toContain(' 0% packet loss');
    await create({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'NetworkPolicy',
      metadata: { name: 'no-egress' },
      spec: { podSelector: { matchLabels: { hermetic: 'true' } }, policyTypes: ['Egress'], egress: [] },
    });
    await expect.poll(ping, { timeout: 30_000 }).toContain('0 packets received, 100% packet loss');
    const others = await kubectl(['exec', 'client', '--', 'wget', '-qO-', `http://${ip}:8080/`]);
    expect(others.stdout).toBe('hello\n');
  });
});
