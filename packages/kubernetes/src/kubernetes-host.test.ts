import type { Endpoint } from '@seaplane/orchestrator';
import { describe, expect, test } from 'vitest';
import type { Pod } from './api/wire.ts';
import { createKubernetesHost } from './kubernetes-host.ts';
import { ownerLabels } from './pod/labels.ts';
import type { Stored } from './testing/fake-api-server.ts';
import { EVENTS, fakeHost, PODS, runningStatus, specOf, steppingClock } from './testing/fake-host.ts';
import { followHost } from './testing/follow-host.ts';

const never = new AbortController().signal;
const eventually = (check: () => unknown) => expect.poll(check, { interval: 5, timeout: 5_000 });

describe('create', () => {
  test('[KUBE-HST1] makes the pod; twice finds it', async () => {
    await using fake = await fakeHost();
    await fake.host.create(specOf('task-1'), never);
    const first = fake.server.get(PODS, 'task-1')?.metadata.uid;
    await fake.host.create(specOf('task-1'), never);
    expect(fake.server.get(PODS, 'task-1')?.metadata.uid).toBe(first);
    expect(fake.server.requests.filter((request) => request === `POST ${PODS}`)).toHaveLength(2);
  });

  test('[KUBE-HST1] a pod of that name that belongs to another worker is an error', async () => {
    await using fake = await fakeHost();
    const labels = { 'seaplane.dev/worker': 'other', 'seaplane.dev/installation': 'test' };
    fake.server.put(PODS, { kind: 'Pod', metadata: { name: 'task-1', labels } } as Stored);
    await expect(fake.host.create(specOf('task-1'), never)).rejects.toMatchObject({
      code: 'name-taken',
      message:
        'worker fake: the Pod task-1 in the namespace ci belongs to the worker other, so it is left alone. ' +
        'Give this worker a namespace of its own, or delete the Pod task-1 if nobody needs it',
    });
  });

  test('[KUBE-OWN1] a pod of that name of another installation is an error, and is not deleted', async () => {
    await using fake = await fakeHost();
    const created = createKubernetesHost({ ...fake.target, installation: 'other' }, fake.services);
    using other = created;
    await other.create(specOf('task-1'), never);
    await expect(fake.host.create(specOf('task-1'), never)).rejects.toMatchObject({
      code: 'name-taken',
      message: expect.stringContaining('belongs to another installation of Seaplane (other), so it is left alone'),
    });
    await fake.host.destroy('task-1');
    expect(fake.server.get(PODS, 'task-1')).toBeDefined();
    expect([await fake.host.list(never), await other.list(never)]).toEqual([[], ['task-1']]);
  });

  test('[KUBE-OWN1] a pod without the installation’s label, as earlier versions made it, is not ours', async () => {
    await using fake = await fakeHost();
    await fake.host.create(specOf('task-1'), never);
    const pod = fake.server.get(PODS, 'task-1') as Stored;
    const { 'seaplane.dev/installation': _, ...labels } = pod.metadata.labels ?? {};
    fake.server.put(PODS, { ...pod, metadata: { ...pod.metadata, labels } });
    expect(await fake.host.list(never)).toEqual([]);
    await fake.host.destroy('task-1');
    expect(fake.server.get(PODS, 'task-1')).toBeDefined();
  });

  test('[KUBE-HST2] waits for one that is being deleted, and then makes it again', async () => {
    await using fake = await fakeHost();
    await fake.host.create(specOf('task-1'), never);
    const dying = fake.server.get(PODS, 'task-1') as Pod & { metadata: object };
    fake.server.put(PODS, { ...dying, metadata: { ...dying.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } });
    const created = fake.host.create(specOf('task-1'), never);
    await eventually(() => fake.server.watching).toBe(1);
    fake.server.remove(PODS, 'task-1');
    await created;
    const again = fake.server.get(PODS, 'task-1')?.metadata;
    expect(again?.uid).not.toBe(dying.metadata.uid);
    expect(again?.deletionTimestamp).toBeUndefined();
  });

  test('[KUBE-HST3] a step does not notice an API server that comes back within a minute', async () => {
    await using fake = await fakeHost();
    let failures = 5;
    fake.server.intercept = () => (failures-- > 0 ? { code: 503 } : undefined);
    await fake.host.create(specOf('task-1'), never);
    expect(fake.server.get(PODS, 'task-1')).toBeDefined();
  });

  test('[KUBE-HST3] one that does not come back is an error; a refusal is not tried again', async () => {
    await using fake = await fakeHost();
    fake.server.intercept = () => ({ code: 503 });
    await expect(fake.host.create(specOf('task-1'), never)).rejects.toMatchObject({ code: 'overloaded' });
    const tried = fake.server.requests.length;
    expect(tried).toBeGreaterThan(5);
    fake.server.intercept = () => ({ code: 403, status: { message: 'exceeded quota: pods' } });
    await expect(fake.host.create(specOf('task-1'), never)).rejects.toMatchObject({ code: 'quota' });
    expect(fake.server.requests.length).toBe(tried + 1);
  });

  test('[KUBE-HST3] an API server that has just started, and does not know the Role yet, is asked again', async () => {
    await using fake = await fakeHost();
    const unknown = { code: 403, status: { message: 'pods is forbidden: User "x" cannot create resource "pods"' } };
    let [away, refusals] = [8, 3]; // longer than it may refuse
    fake.server.intercept = () => (away-- > 0 ? { code: 503 } : refusals-- > 0 ? unknown : undefined);
    await fake.host.create(specOf('task-1'), never);
    expect(fake.server.get(PODS, 'task-1')).toBeDefined();
    fake.server.intercept = () => unknown;
    await expect(fake.host.create(specOf('task-2'), never)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('[KUBE-HST3] a clock that is set meanwhile does not end the wait for it', async () => {
    let [failures, ahead] = [3, 0];
    const clock = steppingClock();
    const now = () => new Date(clock.now().getTime() + ahead);
    await using fake = await fakeHost({}, undefined, { ...clock, now });
    fake.server.intercept = () => {
      ahead += 3_600_000;
      return failures-- > 0 ? { code: 503 } : undefined;
    };
    await fake.host.create(specOf('task-1'), never);
    expect(fake.server.get(PODS, 'task-1')).toBeDefined();
  });

  test('[KUBE-HST4] a privileged step that is not allowed never reaches the cluster', async () => {
    await using fake = await fakeHost();
    await expect(fake.host.create(specOf('task-1', { privileged: true }), never)).rejects.toMatchObject({
      code: 'privileged',
    });
    expect(fake.server.requests).toEqual([]);
  });

  test('[KUBE-HST16] the Secret that pods refer to is there before the first of them, and is made once', async () => {
    await using fake = await fakeHost();
    const secrets = '/api/v1/namespaces/ci/secrets';
    const posts = () => fake.server.requests.filter((request) => /^POST .*(pods|secrets)$/.test(request));
    await fake.host.create(specOf('task-1'), never);
    await fake.host.create(specOf('task-2'), never);
    expect(posts()).toEqual([`POST ${secrets}`, `POST ${PODS}`, `POST ${PODS}`]);
    const pod = fake.server.get(PODS, 'task-1') as Pod;
    const { name = '' } = pod.spec?.initContainers?.[0]?.env?.[2]?.valueFrom?.secretKeyRef ?? {};
    expect(fake.server.get(secrets, name)).toMatchObject({ immutable: true, stringData: { key: 'AUTHORITY-KEY' } });
    expect(JSON.stringify(pod)).not.toContain('AUTHORITY-KEY');
    using second = createKubernetesHost(fake.target, fake.services);
    await second.create(specOf('task-3'), never);
    expect(posts().slice(3)).toEqual([`POST ${secrets}`, `POST ${PODS}`]);
  });

  test('[KUBE-HST5] the policy of hermetic steps and the store that proves that it holds are there before the first of them', async () => {
    await using fake = await fakeHost();
    const policies = '/apis/networking.k8s.io/v1/namespaces/ci/networkpolicies';
    await fake.host.create(specOf('task-1'), never);
    const made = fake.host.create(specOf('task-2', { hermetic: true }), never);
    await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
    expect(fake.server.get(PODS, 'task-2')).toBeUndefined();
    fake.setStatus('store-fake', runningStatus('10.0.0.9'));
    await made;
    await fake.host.create(specOf('task-3', { hermetic: true }), never);
    const posts = fake.server.requests.filter((request) => /^POST .*(pods|networkpolicies)$/.test(request));
    const store = `POST ${PODS}`;
    expect(posts).toEqual([`POST ${PODS}`, store, `POST ${policies}`, `POST ${PODS}`, `POST ${PODS}`]);
    expect(fake.server.get(PODS, 'task-2')).toMatchObject({
      spec: {
        initContainers: [
          { env: expect.arrayContaining([{ name: 'SEAPLANE_WITNESS', value: expect.stringContaining('10.96.0.7') }]) },
        ],
      },
    });
    expect(fake.server.get(PODS, 'store-fake')).toMatchObject({
      spec: {
        containers: [
          {
            env: expect.arrayContaining([
              { name: 'SEAPLANE_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
            ]),
          },
        ],
      },
    });
    expect(fake.server.get(policies, 'hermetic-in-and-out-fake')).toMatchObject({
      spec: { podSelector: { matchLabels: { 'seaplane.dev/hermetic': 'true' } }, policyTypes: ['Egress', 'Ingress'] },
    });
  });
});

describe('watch', () => {
  test('[KUBE-HST6] yields each state once, from the first to the last', async () => {
    await using fake = await fakeHost();
    await fake.host.create(specOf('task-1'), never);
    await using watch = followHost(fake.host);
    await eventually(() => watch.seen.at(-1)).toEqual({ kind: 'synced' });
    fake.setStatus('task-1', runningStatus('10.0.0.1'));
    fake.setStatus('task-1', { ...runningStatus('10.0.0.1'), phase: 'Pending' });
    fake.server.remove(PODS, 'task-1');
    const states = [{ phase: 'pending', reason: 'waiting for a node' }, { phase: 'ready' }, { phase: 'gone' }].map(
      (state) => ({ kind: 'state', handle: 'task-1', state }),
    );
    await eventually(() => watch.of('task-1')).toEqual(states);
  });

  test('[KUBE-HST7] a warning about a pod is a notice, once, whichever is seen first', async () => {
    await using fake = await fakeHost();
    const warn = (name: string, uid: string, reason: string) =>
      fake.server.put(EVENTS, {
        metadata: { name },
        involvedObject: { kind: 'Pod', name: 'task-1', uid },
        reason,
        message: 'timed out',
      } as Pod);
    warn('early', 'uid-of-task-1', 'FailedMount');
    warn('other', 'uid-of-another', 'NodeNotReady');
    await using watch = followHost(fake.host);
    const notices = () => watch.seen.filter(({ kind }) => kind === 'notice');
    const labels = { ...ownerLabels(fake.target), 'seaplane.dev/component': 'step' };
    const annotations = { 'seaplane.dev/handle': 'task-1' };
    fake.server.put(PODS, { metadata: { name: 'task-1', uid: 'uid-of-task-1', labels, annotations } });
    const mount = { kind: 'notice', handle: 'task-1', text: 'a volume could not be mounted: timed out' };
    await eventually(notices).toEqual([mount]);
    warn('again', 'uid-of-task-1', 'FailedMount');
    warn('late', 'uid-of-task-1', 'NodeNotReady');
    const node = { kind: 'notice', handle: 'task-1', text: 'the node does not answer: timed out' };
    await eventually(notices).toEqual([mount, node]);
  });

  test.each([0, 1])(
    '[KUBE-HST8] a deadline that passes is reported though the pod has not changed; a clock is %d ms early',
    async (early) => {
      await using fake = await fakeHost({}, undefined, steppingClock(early));
      await fake.host.create(specOf('task-1'), never);
      const status = runningStatus('10.0.0.1');
      const waiting = { reason: 'ErrImagePull', message: 'connection refused' };
      const main = { name: 'main', image: 'x', imageID: '', ready: false, restartCount: 0, state: { waiting } };
      fake.setStatus('task-1', { ...status, containerStatuses: [main] });
      await using watch = followHost(fake.host);
      await eventually(() => watch.of('task-1').at(-1)).toMatchObject({ state: { phase: 'failed' } });
      expect(watch.of('task-1').map((event) => (event.kind === 'state' ? event.state.phase : event.kind))).toEqual([
        'notice',
        'ready',
        'failed',
      ]);
    },
  );
});

test('[KUBE-HST8] a clock that is set does not make a deadline pass', async () => {
  let ahead = 0;
  const start = steppingClock();
  const sleep = (_: number, signal: AbortSignal) =>
    new Promise<void>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const clock = { ...start, sleep, now: () => new Date(start.now().getTime() + ahead) };
  await using fake = await fakeHost({}, undefined, clock);
  await fake.host.create(specOf('task-1'), never);
  await using watch = followHost(fake.host);
  await eventually(() => watch.seen.at(-1)).toEqual({ kind: 'synced' });
  ahead = 3_600_000;
  const waiting = { reason: 'ErrImagePull', message: 'connection refused' };
  const main = { name: 'main', image: 'x', imageID: '', ready: false, restartCount: 0, state: { waiting } };
  fake.setStatus('task-1', { ...runningStatus('10.0.0.1'), containerStatuses: [main] });
  await eventually(() => watch.of('task-1').at(-1)).toMatchObject({ state: { phase: 'ready' } });
});

describe('connect', () => {
  test('[KUBE-HST9] uses the address that the watch reported, and asks the API server nothing', async () => {
    await using fake = await fakeHost();
    await fake.host.create(specOf('task-1'), never);
    fake.setStatus('task-1', runningStatus('10.0.0.1'));
    await using watch = followHost(fake.host);
    await eventually(() => watch.seen.at(-1)).toEqual({ kind: 'synced' });
    const before = fake.server.requests.filter((request) => request.includes('task-1'));
    const endpoint = (await fake.host.connect('task-1')) as unknown as Endpoint;
    expect(endpoint).toMatchObject({ handle: 'task-1', url: 'https://10.0.0.1:7788', podUrl: 'https://10.0.0.1:7788' });
    expect(fake.server.requests.filter((request) => request.includes('task-1'))).toEqual(before);
  });

  test('[KUBE-HST9] without a watch it looks the address up', async () => {
    await using fake = await fakeHost();
    await expect(fake.host.connect('task-1')).rejects.toMatchObject({
      code: 'deleted',
      message: 'worker fake: the pod task-1 does not exist',
    });
    await fake.host.create(specOf('task-1'), never);
    await expect(fake.host.connect('task-1')).rejects.toMatchObject({
      code: 'not-ready',
      message: 'worker fake: the pod task-1 has no address yet',
    });
    fake.setStatus('task-1', runningStatus('fd00::1'));
    expect(await fake.host.connect('task-1')).toMatchObject({ url: 'https://[fd00::1]:7788' });
  });
});

test('[KUBE-HST12] a pod that should long have gone is on a node that does not answer, and is taken off the books', async () => {
  await using fake = await fakeHost();
  await fake.host.create(specOf('task-1'), never);
  const graces: number[] = [];
  const dying = (deletionTimestamp: string) => {
    fake.server.intercept = (request, body) => {
      if (request.method !== 'DELETE') return undefined;
      graces.push((JSON.parse(body) as { gracePeriodSeconds: number }).gracePeriodSeconds);
      const metadata = { ...fake.server.get(PODS, 'task-1')?.metadata, deletionTimestamp };
      return { code: 200, status: { metadata } as object };
    };
    return fake.host.destroy('task-1');
  };
  await dying('2026-01-01T00:00:01Z');
  expect(graces).toEqual([1]);
  await dying('2025-12-31T23:59:00Z');
  expect(graces).toEqual([1, 1, 0]);
});

test('[KUBE-HST12] destroy is idempotent, and list returns what there is', async () => {
  await using fake = await fakeHost();
  await fake.host.create(specOf('task-1'), never);
  await fake.host.create(specOf('Task 2'), never);
  fake.server.put(PODS, { metadata: { name: 'of-somebody-else' } });
  expect(await fake.host.list(never)).toEqual(['task-1', 'Task 2']);
  await fake.host.destroy('Task 2');
  await fake.host.destroy('Task 2');
  expect(await fake.host.list(never)).toEqual(['task-1']);
});
