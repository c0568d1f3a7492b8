import { setImmediate } from 'node:timers/promises';
import { systemClock } from '@seaplane/orchestrator';
import { expect, test } from 'vitest';
import { refusal } from './api/api-failure.ts';
import type { Pod, StatusBody } from './api/wire.ts';
import type { KubernetesHost } from './kubernetes-host.ts';
import { type FakeHost, fakeHost, PODS, runningStatus, specOf, steppingClock } from './testing/fake-host.ts';

const never = new AbortController().signal;
const eventually = (check: () => unknown) => expect.poll(check, { interval: 5, timeout: 5_000 });
const QUOTAS = '/api/v1/namespaces/ci/resourcequotas';
const LIMITS = { cpu: 1024, memory: 2 ** 30 };

/** Follows a host until disposed, and counts how often it reports room. */
function follow(host: KubernetesHost) {
  const stop = new AbortController();
  const seen = { rooms: 0, synced: false, ready: new Set<string>() };
  const ended = (async () => {
    for await (const event of host.watch(stop.signal)) {
      if (event.kind === 'room') seen.rooms++;
      if (event.kind === 'synced') seen.synced = true;
      if (event.kind === 'state' && event.state.phase === 'ready') seen.ready.add(event.handle);
    }
  })();
  return {
    seen,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

/** Makes a pod that the watch has seen running. */
async function runningPod(
  fake: FakeHost,
  { seen }: ReturnType<typeof follow>,
  handle: string,
  limits = LIMITS,
): Promise<void> {
  await fake.host.create(specOf(handle, { limits }), never);
  fake.setStatus(handle, runningStatus('10.0.0.7'));
  await eventually(() => seen.ready.has(handle)).toBe(true);
}

const requests = ({ server }: FakeHost, handle: string) =>
  (server.get(PODS, handle) as Pod).spec?.containers[0]?.resources?.requests;
const patches = ({ server }: FakeHost) => server.requests.filter((request) => request.startsWith('PATCH '));

test('[KUBE-ROOM1] a released pod asks for next to nothing; its limits stay', async () => {
  await using fake = await fakeHost();
  await using following = follow(fake.host);
  await runningPod(fake, following, 'task-1');
  expect(await fake.host.release('task-1', never)).toBe(true);
  expect(requests(fake, 'task-1')).toEqual({ cpu: '1m', memory: '4Mi', 'ephemeral-storage': '32Mi' });
  expect((fake.server.get(PODS, 'task-1') as Pod).spec?.containers[0]?.resources?.limits).toEqual({
    memory: String(2 ** 30),
  });
  expect(await fake.host.release('task-1', never)).toBe(true);
  expect(patches(fake)).toEqual([`PATCH ${PODS}/task-1/resize`]);
});

/** The node's word about what the pod has. */
function setActual(fake: FakeHost, handle: string, resources: object, conditions: object[] = []): void {
  const main = { name: 'main', image: '', imageID: '', ready: true, restartCount: 0, resources };
  const status = runningStatus('10.0.0.7');
  fake.setStatus(handle, {
    ...status,
    containerStatuses: [main],
    conditions: [...(status?.conditions ?? []), ...conditions],
  } as typeof status);
}

test.each([
  ['has done it', { requests: { cpu: '1', memory: '1Gi' } }, []],
  ['has no room', { requests: { cpu: '1m', memory: '4Mi' } }, [{ type: 'PodResizePending', status: 'True' }]],
])(
  '[KUBE-ROOM4] a released pod that somebody enters asks for room again, until its node %s',
  async (_, resources, conditions) => {
    await using fake = await fakeHost();
    await using following = follow(fake.host);
    await runningPod(fake, following, 'task-1');
    const before = requests(fake, 'task-1');
    await fake.host.restore('task-1', never); // not released yet
    expect(patches(fake)).toEqual([]);
    await fake.host.release('task-1', never);
    setActual(fake, 'task-1', { requests: { cpu: '1m', memory: '4Mi' } });
    await eventually(() => fake.host.release('task-1', never)).toBe(true);
    let restored = false;
    const restoring = (async () => {
      // The watch has to see the smaller pod first.
      for (; patches(fake).length < 2; await setImmediate()) await fake.host.restore('task-1', never);
      restored = true;
    })();
    await eventually(() => patches(fake).length).toBe(2);
    expect(restored).toBe(false);
    setActual(fake, 'task-1', resources, conditions);
    await restoring;
    expect(requests(fake, 'task-1')).toEqual(before);
  },
);

test('[KUBE-ROOM4] a pod that the cluster does not make larger stays as it is', async () => {
  await using fake = await fakeHost();
  await using following = follow(fake.host);
  await runningPod(fake, following, 'task-1');
  await fake.host.release('task-1', never);
  fake.server.intercept = ({ method }) =>
    method === 'PATCH' ? { code: 403, status: { message: 'exceeded quota: q' } as StatusBody } : undefined;
  await fake.host.restore('task-1', never);
  expect(requests(fake, 'task-1')).toMatchObject({ cpu: '1m' });
});

test('[KUBE-ROOM1] a pod that asks for little, or does not exist, costs no request', async () => {
  await using fake = await fakeHost();
  await using following = follow(fake.host);
  await runningPod(fake, following, 'task-1', { cpu: 0, memory: 0 });
  expect(await fake.host.release('task-1', never)).toBe(true);
  expect(await fake.host.release('unknown', never)).toBe(true);
  expect(patches(fake)).toEqual([]);
});

test('[KUBE-ROOM1] a pod that was made again under the same name is left alone', async () => {
  await using fake = await fakeHost();
  await using following = follow(fake.host);
  await runningPod(fake, following, 'task-1');
  const pod = fake.server.get(PODS, 'task-1') as Pod & { metadata: object };
  fake.server.intercept = (request) => {
    if (request.method !== 'PATCH') return undefined;
    fake.server.intercept = () => undefined;
    fake.server.put(PODS, { ...pod, metadata: { ...pod.metadata, uid: 'another' } });
    return undefined;
  };
  expect(await fake.host.release('task-1', never)).toBe(true);
  expect(requests(fake, 'task-1')).toMatchObject({ cpu: '1000m' });
});

test('[KUBE-ROOM1] a node that does not make the pod smaller in time still holds it', async () => {
  const clock = steppingClock();
  await using fake = await fakeHost({}, undefined, clock);
  await using following = follow(fake.host);
  await runningPod(fake, following, 'task-1');
  const actual = { requests: { cpu: '1', memory: '1Gi' } };
  const main = { name: 'main', image: '', imageID: '', ready: true, restartCount: 0, resources: actual };
  fake.setStatus('task-1', { ...runningStatus('10.0.0.7'), containerStatuses: [main] });
  expect(await fake.host.release('task-1', never)).toBe(true);
  await clock.sleep(15_000, never);
  expect(await fake.host.release('task-1', never)).toBe(false);
  expect(patches(fake)).toHaveLength(1);
});

test.each([
  ['has no such subresource', { code: 404, status: { message: 'the server could not find the requested resource' } }],
  [
    'does not permit it',
    { code: 403, status: { message: 'pods "task-1" is forbidden: User "x" cannot patch resource "pods/resize"' } },
  ],
  [
    'has a LimitRange',
    { code: 403, status: { message: 'pods "task-1" is forbidden: minimum memory usage per Container' } },
  ],
])(
  '[KUBE-ROOM2] a cluster that %s keeps the pod as it is, says so once, and is not asked again for a while',
  async (_, answer) => {
    const clock = steppingClock();
    await using fake = await fakeHost({}, undefined, clock);
    await using following = follow(fake.host);
    await runningPod(fake, following, 'task-1');
    await runningPod(fake, following, 'task-2');
    fake.server.intercept = (request) => (request.method === 'PATCH' ? answer : undefined);
    expect(await fake.host.release('task-1', never)).toBe(false);
    expect(await fake.host.release('task-2', never)).toBe(false);
    expect(patches(fake)).toHaveLength(1);
    expect(fake.troubles).toEqual([expect.stringContaining('keep their CPU and memory until others need it')]);
    await clock.sleep(10 * 60_000, never);
    fake.server.intercept = () => undefined;
    expect(await fake.host.release('task-1', never)).toBe(true);
  },
);

function quota(used: string, hard = '4Gi'): object {
  return { metadata: { name: 'q' }, status: { hard: { memory: hard }, used: { memory: used } } };
}

test('[KUBE-ROOM3] after a refusal the host reports each time that a quota may have room, and nothing before', async () => {
  await using fake = await fakeHost({}, undefined, systemClock);
  await using following = follow(fake.host);
  await eventually(() => following.seen.synced).toBe(true);
  fake.server.put(QUOTAS, quota('4Gi'));
  expect(fake.server.requests.filter((request) => request.includes('resourcequotas'))).toEqual([]);
  fake.server.intercept = (request) =>
    request.method === 'POST' ? { code: 403, status: { message: 'exceeded quota: q' } } : undefined;
  await expect(fake.host.create(specOf('task-1'), never)).rejects.toMatchObject({ code: 'quota' });
  await eventually(() => following.seen.rooms).toBe(1); // there may have been room since
  await eventually(() => fake.server.watching).toBe(3);
  fake.server.put(QUOTAS, quota('3Gi'));
  await eventually(() => following.seen.rooms).toBe(2);
  fake.server.put(QUOTAS, quota('4Gi'));
  fake.server.put(QUOTAS, quota('4Gi', '5Gi'));
  await eventually(() => following.seen.rooms).toBe(3);
  fake.server.remove(QUOTAS, 'q');
  await eventually(() => following.seen.rooms).toBe(4);
});

test('[KUBE-CFG3] a pod that is larger than the whole quota is refused, and nobody waits for it', () => {
  const place = { worker: 'w', namespace: 'ci', server: 's', origin: 'o' };
  const said = (requested: string) =>
    refusal(place, 'create the pod x', 403, {
      message: `pods "x" is forbidden: exceeded quota: q, requested: ${requested}, used: pods=3,requests.memory=1Gi, limited: pods=9,requests.memory=4Gi`,
    } as StatusBody);
  expect(said('pods=1,requests.memory=3500Mi')).toMatchObject({ code: 'quota' });
  expect(said('pods=1,requests.memory=8Gi')).toMatchObject({
    code: 'refused',
    message: expect.stringContaining('asks for more than the ResourceQuota of the namespace ci ever allows'),
  });
});

test('[KUBE-API2] a step costs three writes to the API server', async () => {
  await using fake = await fakeHost();
  await using following = follow(fake.host);
  await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
  fake.setStatus('store-fake', runningStatus('10.0.0.9'));
  await fake.host.store();
  await runningPod(fake, following, 'first'); // the store, and the Secret that all pods share, have been made
  const writes = () => fake.server.requests.filter((request) => !request.startsWith('GET '));
  const before = writes().length;
  await runningPod(fake, following, 'task-1');
  fake.host.release('task-1', never).catch(() => {});
  await eventually(() => patches(fake).length).toBe(1);
  await fake.host.destroy('task-1');
  expect(writes().slice(before)).toEqual([`POST ${PODS}`, `PATCH ${PODS}/task-1/resize`, `DELETE ${PODS}/task-1`]);
});
