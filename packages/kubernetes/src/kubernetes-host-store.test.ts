import { describe, expect, test } from 'vitest';
import type { Pod } from './api/wire.ts';
import { createKubernetesHost } from './kubernetes-host.ts';
import { ownerLabels } from './pod/labels.ts';
import { fakeHost, PODS, runningStatus, SERVICES, specOf } from './testing/fake-host.ts';
import { followHost } from './testing/follow-host.ts';

const never = new AbortController().signal;
const eventually = (check: () => unknown) => expect.poll(check, { interval: 5, timeout: 5_000 });

describe('the store', () => {
  const running = { ...runningStatus('10.0.0.9') };

  test('[KUBE-HST10] is made when a watch finds none, and again when it has gone', async () => {
    await using fake = await fakeHost();
    await using _watch = followHost(fake.host);
    await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
    fake.setStatus('store-fake', running);
    expect(await fake.host.store()).toMatchObject({
      handle: 'store-fake',
      url: 'https://10.0.0.9:7788',
      podUrl: 'https://10.96.0.7:7788',
    });
    expect(await fake.host.imageReference('a/b', 'sha256:00')).toBe('127.0.0.1:30123/a/b@sha256:00');

    const first = fake.server.get(PODS, 'store-fake')?.metadata.uid;
    fake.server.remove(PODS, 'store-fake');
    await eventually(() => ![undefined, first].includes(fake.server.get(PODS, 'store-fake')?.metadata.uid)).toBe(true);
    fake.setStatus('store-fake', { ...running, podIP: '10.0.0.10' });
    await eventually(async () => fake.host.store()).toMatchObject({ url: 'https://10.0.0.10:7788' });
  });

  test('[KUBE-HST10] one that was evicted is replaced, its address is not', async () => {
    await using fake = await fakeHost();
    const made = fake.host.store();
    await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
    fake.setStatus('store-fake', { phase: 'Failed', reason: 'Evicted', message: 'low on memory' });
    await expect(made).rejects.toThrow(
      'the store of worker fake (pod store-fake in the namespace ci) does not run: the pod store-fake was evicted: low on memory',
    );
    const services = fake.server.get(SERVICES, 'store-fake-images')?.metadata.uid;
    const evicted = fake.server.get(PODS, 'store-fake')?.metadata.uid;
    const again = fake.host.store();
    await eventually(() => ![undefined, evicted].includes(fake.server.get(PODS, 'store-fake')?.metadata.uid)).toBe(
      true,
    );
    fake.setStatus('store-fake', running);
    await again;
    expect(fake.server.get(SERVICES, 'store-fake-images')?.metadata.uid).toBe(services);
  });

  test('[KUBE-HST10] one that is deleted while it starts is made again, for those who wait', async () => {
    await using fake = await fakeHost();
    const made = fake.host.store();
    await eventually(() => fake.server.watching).toBe(1);
    const first = fake.server.get(PODS, 'store-fake')?.metadata.uid;
    fake.server.remove(PODS, 'store-fake');
    await eventually(() => ![undefined, first].includes(fake.server.get(PODS, 'store-fake')?.metadata.uid)).toBe(true);
    fake.setStatus('store-fake', running);
    expect(await made).toMatchObject({ handle: 'store-fake' });
  });

  test('[KUBE-OWN2] one of another installation is neither used nor replaced, also while its pod is away', async () => {
    await using fake = await fakeHost();
    using other = createKubernetesHost({ ...fake.target, installation: 'other' }, fake.services);
    const starting = other.store();
    await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
    fake.setStatus('store-fake', runningStatus('10.0.0.9'));
    await starting;
    const { uid } = fake.server.get(PODS, 'store-fake')?.metadata ?? {};
    const taken = {
      code: 'name-taken',
      message: expect.stringContaining('the Service store-fake in the namespace ci belongs to another installation'),
    };
    await expect(fake.host.store()).rejects.toMatchObject(taken);
    expect(fake.server.get(PODS, 'store-fake')?.metadata.uid).toBe(uid);
    fake.server.remove(PODS, 'store-fake');
    await expect(fake.host.store()).rejects.toMatchObject(taken);
    expect(fake.server.get(PODS, 'store-fake')).toBeUndefined();
  });

  test('[KUBE-HST14] one of an earlier web with another key is replaced; one that is made later is not', async () => {
    await using fake = await fakeHost();
    const labels = { ...ownerLabels(fake.target), 'seaplane.dev/component': 'store' };
    const foreign = () => {
      const annotations = { 'seaplane.dev/revision': 'sidecar:1 ANOTHER' };
      fake.server.put(PODS, { metadata: { name: 'store-fake', labels, annotations }, status: running } as Pod);
      return fake.server.get(PODS, 'store-fake')?.metadata.uid;
    };
    const first = foreign();
    const made = fake.host.store();
    await eventually(() => fake.server.get(PODS, 'store-fake')?.metadata.uid ?? first).not.toBe(first);
    fake.setStatus('store-fake', running);
    await made;

    await using watch = followHost(fake.host);
    await eventually(() => watch.seen.length).toBe(1);
    const posts = () => fake.server.requests.filter((request) => request === `POST ${PODS}`).length;
    const before = posts();
    fake.server.remove(PODS, 'store-fake');
    const second = foreign();
    await eventually(posts).toBeGreaterThan(before);
    await fake.host.store();
    expect(fake.server.get(PODS, 'store-fake')?.metadata.uid).toBe(second);
  });

  test('[KUBE-HST15] [KUBE-TUN5] one that does not answer is named, with where it was looked for', async () => {
    await using fake = await fakeHost({}, async () => Promise.reject(new Error('connect ETIMEDOUT')));
    const made = fake.host.store();
    await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
    fake.setStatus('store-fake', running);
    await expect(made).rejects.toMatchObject({
      code: 'store',
      message: expect.stringMatching(
        /^the store of worker fake answers neither at https:\/\/10.0.0.9:7788 \(connect ETIMEDOUT\) nor through the API server \(worker fake could not open a port-forward to the pod store-fake: HTTP status 403/,
      ),
    });
  });

  test('[KUBE-HST20] on a node’s disk it has a limit, refuses more before the kubelet evicts it, and is told those of teams', async () => {
    const limits = { artifactBytes: 5, teamBytes: 7 };
    await using fake = await fakeHost({ store: { kind: 'ephemeral', sizeLimit: '10Gi' }, storeLimits: limits });
    const made = fake.host.store();
    await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
    fake.setStatus('store-fake', running);
    expect(await made).toMatchObject({ limits });
    expect(fake.server.get(PODS, 'store-fake')).toMatchObject({
      spec: {
        containers: [
          { args: ['store', '/store', '--capacity', '9663676416'], resources: { limits: { memory: '1Gi' } } },
        ],
        volumes: [{ emptyDir: { sizeLimit: '10Gi' } }],
      },
    });
  });

  test('[KUBE-HST11] its images alone are open on the nodes; it has no privilege and no token', async () => {
    await using fake = await fakeHost({ store: { kind: 'volume', size: '5Gi' } });
    const made = fake.host.store();
    await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
    fake.setStatus('store-fake', running);
    await made;
    expect(fake.server.get(SERVICES, 'store-fake')).toMatchObject({ spec: { ports: [{ port: 7788 }] } });
    expect(fake.server.get(SERVICES, 'store-fake')).not.toHaveProperty('spec.type');
    expect(fake.server.get(SERVICES, 'store-fake-images')).toMatchObject({
      spec: { type: 'NodePort', ports: [{ port: 7789 }] },
    });
    expect(fake.server.get('/api/v1/namespaces/ci/persistentvolumeclaims', 'store-fake')).toMatchObject({
      spec: { resources: { requests: { storage: '5Gi' } } },
    });
    expect(fake.server.get(PODS, 'store-fake')).toMatchObject({
      spec: {
        automountServiceAccountToken: false,
        hostUsers: false,
        containers: [{ securityContext: { allowPrivilegeEscalation: false } }],
        volumes: [{ persistentVolumeClaim: { claimName: 'store-fake' } }],
      },
    });
  });
});

test('[KUBE-HST17] clear removes everything of the target and makes nothing again; what others have made stays', async () => {
  await using fake = await fakeHost({ store: { kind: 'volume', size: '1Gi' } });
  await using _watch = followHost(fake.host);
  await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
  fake.setStatus('store-fake', runningStatus('10.0.0.9'));
  await fake.host.store();
  await fake.host.create(specOf('task-1', { hermetic: true }), never);
  fake.server.put(PODS, {
    metadata: { name: 'foreign', labels: ownerLabels({ name: 'fake', installation: 'other' }) },
  });
  expect(await fake.host.clear(never)).toBe(false);
  await eventually(() => fake.host.clear(never)).toBe(true);
  const left = ['pods', 'services', 'persistentvolumeclaims', 'secrets']
    .map((kind) => `/api/v1/namespaces/ci/${kind}`)
    .concat('/apis/networking.k8s.io/v1/namespaces/ci/networkpolicies')
    .flatMap((path) => fake.server.names(path));
  expect(left).toEqual(['foreign']);
});
