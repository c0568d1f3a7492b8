import type { IncomingMessage } from 'node:http';
import { BaggageclaimError } from '@seaplane/baggageclaim';
import { expect, test } from 'vitest';
import { PERMISSIONS } from '../api/role.ts';
import type { Pod } from '../api/wire.ts';
import { createKubernetesHost } from '../kubernetes-host.ts';
import { type FakeHost, fakeHost, PODS, runningStatus, specOf, steppingClock } from '../testing/fake-host.ts';

const never = new AbortController().signal;
const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const RULES = '/apis/authorization.k8s.io/v1/selfsubjectrulesreviews';

interface Attributes {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
}

/** The rules of a Role that grants everything but what `refuse` picks. */
function rules(refuse: (asked: Attributes) => boolean): object[] {
  return PERMISSIONS.map(({ group, resource: full, verbs }) => {
    const [resource = '', subresource] = full.split('/');
    const granted = verbs.filter((verb) => !refuse({ verb, resource, ...(subresource ? { subresource } : {}) }));
    return { verbs: granted, apiGroups: [group], resources: [full] };
  });
}

const asked = ({ server }: FakeHost, path: string) =>
  server.requests.filter((request) => request === `POST ${path}`).length;

/** Grants everything but what `refuse` picks, and acts as kubelet for the store and the probe. */
function cooperate(
  fake: FakeHost,
  pullMessage = 'not found',
  refuse: (asked: Attributes) => boolean = () => false,
  incomplete = false,
): void {
  fake.server.intercept = (request: IncomingMessage, body: string) => {
    if (request.url === RULES)
      return { code: 201, status: { status: { resourceRules: rules(refuse), incomplete } } as object };
    if (request.url !== REVIEWS) return undefined;
    const asked = (JSON.parse(body) as { spec: { resourceAttributes: Attributes } }).spec.resourceAttributes;
    return { code: 201, status: { status: { allowed: !refuse(asked) } } as object };
  };
  const admit = fake.server.admit;
  fake.server.admit = (path, object) => {
    admit(path, object);
    const pod = object as Pod;
    if (pod.metadata?.name === 'store-fake') pod.status = runningStatus('10.0.0.9');
    if (pod.metadata?.name === 'probe-fake') {
      const waiting = { reason: 'ErrImagePull', message: pullMessage };
      const main = { name: 'main', image: 'x', imageID: '', ready: false, restartCount: 0, state: { waiting } };
      pod.status = { phase: 'Pending', containerStatuses: [main] };
    }
  };
}

test('[KUBE-ACC2] all is well: the rights were asked for by one request, and nothing is left behind', async () => {
  await using fake = await fakeHost();
  cooperate(fake);
  expect(await fake.host.check(never)).toEqual({ usable: true, problems: [], way: 'direct' });
  expect([asked(fake, RULES), asked(fake, REVIEWS)]).toEqual([1, 0]);
  expect(fake.server.get(PODS, 'probe-fake')).toBeUndefined();
  expect(fake.server.get(PODS, 'health-check-fake')).toBeUndefined();
  const probes = () => fake.server.requests.filter((request) => request.includes('probe-fake')).length;
  const before = probes();
  await fake.host.check(never);
  expect(probes()).toBe(before);
});

test('[KUBE-ACC8] rights are asked for again only if something may have changed, or after ten minutes', async () => {
  const clock = steppingClock();
  await using fake = await fakeHost({}, undefined, clock);
  let missing = true;
  cooperate(fake, 'not found', ({ resource }) => missing && resource === 'events');
  const check = async () => {
    await fake.host.check(never);
    return asked(fake, RULES);
  };
  expect([await check(), await check()]).toEqual([1, 2]); // a right is missing
  missing = false;
  expect([await check(), await check(), await check()]).toEqual([3, 3, 3]);
  const granted = fake.server.intercept;
  fake.server.intercept = (request, body) =>
    request.url?.includes('task-1') ? { code: 403, status: { message: 'no' } } : granted(request, body);
  await expect(fake.host.destroy('task-1')).rejects.toThrow('no');
  expect([await check(), await check()]).toEqual([4, 4]);
  await clock.sleep(600_000, never);
  expect([await check(), await check()]).toEqual([5, 5]);
});

test('[KUBE-ACC2] a cluster that cannot list its rules is asked for each right that it did not list', async () => {
  await using fake = await fakeHost();
  cooperate(fake, 'not found', () => false, true);
  const reviews = fake.server.intercept;
  fake.server.intercept = (request, body) =>
    request.url === RULES
      ? { code: 201, status: { status: { resourceRules: [EVERYTHING_ABOUT_PODS], incomplete: true } } as object }
      : reviews(request, body);
  expect(await fake.host.check(never)).toEqual({ usable: true, problems: [], way: 'direct' });
  const pods = 7; // the verbs of pods, pods/resize and pods/portforward
  expect([asked(fake, RULES), asked(fake, REVIEWS)]).toEqual([1, 33 - pods]);
});

const EVERYTHING_ABOUT_PODS = { verbs: ['*'], apiGroups: [''], resources: ['pods', '*/resize', 'pods/portforward'] };

test('[KUBE-OWN3] pods of another installation for a worker of the same name are a problem, and are left alone', async () => {
  await using fake = await fakeHost();
  cooperate(fake);
  using other = createKubernetesHost({ ...fake.target, installation: 'other' }, fake.services);
  await other.create(specOf('task-1'), never);
  expect(await fake.host.check(never)).toEqual({
    usable: true,
    way: 'direct',
    problems: [
      'the namespace ci has 1 pod of another installation of Seaplane (other) for a worker of the same name, such as ' +
        'task-1: web leaves them alone. If web uses the right database, give this worker a namespace of its own, or ' +
        'delete the pods if nobody needs them',
    ],
  });
  expect(fake.server.get(PODS, 'task-1')).toBeDefined();
});

test('[KUBE-OWN3] a worker whose store is another installation’s is not usable', async () => {
  await using fake = await fakeHost();
  cooperate(fake);
  using other = createKubernetesHost({ ...fake.target, installation: 'other' }, fake.services);
  expect(await other.check(never)).toEqual({ usable: true, problems: [], way: 'direct' });
  const { usable, problems } = await fake.host.check(never);
  expect(usable).toBe(false);
  expect(problems).toEqual([
    expect.stringContaining('such as store-fake: web leaves them alone'),
    expect.stringContaining('the Service store-fake in the namespace ci belongs to another installation'),
  ]);
});

test('[KUBE-ACC2] a missing right is named, with what it is for and what to do', async () => {
  await using fake = await fakeHost();
  cooperate(fake, '', ({ resource, subresource, verb }) =>
    resource === 'events' ? verb !== 'get' : subresource === 'portforward',
  );
  const remedy =
    'bind the Role seaplane-target; an administrator of the cluster types: kubectl -n ci apply -f ' +
    'deploy/kubernetes/target-role.yaml && kubectl -n ci create rolebinding seaplane --role=seaplane-target --user=USER';
  expect(await fake.host.check(never)).toEqual({
    usable: true,
    problems: [
      `may not list, watch events in the namespace ci, needed to report why a pod does not start: ${remedy}`,
      `may not create, get pods/portforward in the namespace ci, needed to reach pods whose addresses are not routed to web: ${remedy}`,
    ],
  });
});

test('[KUBE-ACC2] a right that steps can do without is named beside the other problems', async () => {
  await using fake = await fakeHost({ userNamespaces: 'auto' });
  cooperate(fake, 'not found', ({ subresource }) => subresource === 'resize');
  const reviews = fake.server.intercept;
  fake.server.intercept = (request, body) =>
    request.url === '/version' ? { code: 200, status: { major: '1', minor: '30' } as object } : reviews(request, body);
  expect(await fake.host.check(never)).toEqual({
    usable: true,
    way: 'direct',
    problems: [
      expect.stringContaining('has no user namespaces'),
      expect.stringContaining('may not patch pods/resize in the namespace ci, needed to give back the CPU and memory'),
    ],
  });
});

test('[KUBE-ACC2] no right at all is one problem, not nine', async () => {
  await using fake = await fakeHost();
  cooperate(fake, '', () => true);
  const reviews = fake.server.intercept;
  fake.server.intercept = (request, body) =>
    request.url?.includes('dryRun') ? { code: 403, status: { message: 'pods is forbidden' } } : reviews(request, body);
  const { usable, problems } = await fake.host.check(never);
  expect(usable).toBe(false);
  expect(problems).toEqual([
    expect.stringMatching(
      /^nothing is permitted in the namespace ci: does it exist\? .* kubectl create namespace ci; /,
    ),
  ]);
});

test.each([
  ['system:serviceaccount:ci:seaplane', '--serviceaccount=ci:seaplane'],
  ['ann@example.com', '--user=ann@example.com'],
  ["o'hara of ci", "--user='o'\\''hara of ci'"],
])('[KUBE-ACC2] the command to grant the Role names the account %s', async (username, flag) => {
  await using fake = await fakeHost();
  cooperate(fake, '', ({ resource }) => resource === 'events');
  const reviews = fake.server.intercept;
  fake.server.intercept = (request, body) =>
    request.url?.endsWith('/selfsubjectreviews')
      ? { code: 201, status: { status: { userInfo: { username } } } as object }
      : reviews(request, body);
  const { problems } = await fake.host.check(never);
  expect(problems).toEqual([expect.stringContaining(`create rolebinding seaplane --role=seaplane-target ${flag}`)]);
});

test('[KUBE-ACC6] a store whose image cannot be pulled is reported with the commands that make it', async () => {
  await using fake = await fakeHost();
  cooperate(fake);
  const cooperative = fake.server.admit;
  const image = fake.target.baggageclaimImage;
  fake.server.admit = (path, object) => {
    cooperative(path, object);
    const pod = object as Pod;
    if (pod.metadata?.name !== 'store-fake') return;
    const waiting = { reason: 'ErrImagePull', message: 'not found' };
    pod.status = {
      phase: 'Pending',
      containerStatuses: [{ name: 'baggageclaim', restartCount: 0, state: { waiting } }],
    } as never;
  };
  const { problems } = await fake.host.check(never);
  expect(problems).toEqual([
    expect.stringContaining(`docker build --target baggageclaim -t ${image} . && docker push ${image}`),
  ]);
});

test('[KUBE-ACC3] the API server would refuse a step’s pod: the namespace is gone, Pod Security forbids it', async () => {
  await using fake = await fakeHost();
  cooperate(fake);
  const reviews = fake.server.intercept;
  const refusals: [object, RegExp][] = [
    [
      { code: 404, status: { message: 'namespaces "ci" not found', details: { kind: 'namespaces' } } },
      /Make the namespace ci/,
    ],
    [{ code: 403, status: { message: 'violates PodSecurity "restricted"' } }, /Pod Security level/],
  ];
  for (const [answer, words] of refusals) {
    fake.server.intercept = (request, body) =>
      request.url?.includes('dryRun') ? (answer as { code: number }) : reviews(request, body);
    const { usable, problems } = await fake.host.check(never);
    expect(usable).toBe(false);
    expect(problems).toEqual([expect.stringMatching(words)]);
  }
});

test('[KUBE-ACC4] an API server that does not answer, or does not know us', async () => {
  await using fake = await fakeHost();
  fake.server.token = 'another';
  const refused = await fake.host.check(never);
  expect(refused).toEqual({ usable: false, problems: [expect.stringContaining('does not accept the credentials')] });
  await fake.server[Symbol.asyncDispose]();
  const away = await fake.host.check(never);
  expect(away).toEqual({ usable: false, problems: [expect.stringContaining('does not answer')] });
});

test('[KUBE-ACC4] a cluster that takes too long is not usable; a check that is not wanted any more ends', async () => {
  await using fake = await fakeHost();
  const reason = new DOMException('too late', 'TimeoutError');
  expect(await fake.host.check(AbortSignal.abort(reason))).toEqual({
    usable: false,
    problems: [expect.stringContaining('did not end in time')],
  });
  await expect(fake.host.check(AbortSignal.abort(new Error('web stops')))).rejects.toThrow('web stops');
});

test('[KUBE-ACC5] user namespaces: missing ones are a problem unless the operator accepts it', async () => {
  for (const [userNamespaces, minor, count] of [
    ['auto', '32', 1],
    ['auto', '33+', 0],
    ['off', '32', 0],
    ['on', '32', 0],
  ] as const) {
    await using fake = await fakeHost({ userNamespaces });
    cooperate(fake);
    fake.server.put('', { metadata: { name: 'version' }, major: '1', minor } as object);
    const { problems } = await fake.host.check(never);
    expect(problems).toHaveLength(count);
    expect(problems.every((problem) => problem.includes('has no user namespaces'))).toBe(true);
  }
});

test('[KUBE-ACC6] a store that does not answer', async () => {
  await using fake = await fakeHost({}, async () => {
    throw new Error('connection refused');
  });
  cooperate(fake);
  expect(await fake.host.check(never)).toEqual({
    usable: true,
    problems: [expect.stringMatching(/^the store of worker fake answers neither at .* \(connection refused\)/)],
  });
});

test('[KUBE-ACC6] a store that refuses this web’s signature', async () => {
  await using fake = await fakeHost({}, undefined, undefined, async () => {
    throw new BaggageclaimError('unauthorized', 'the token is not signed by this sandbox’s web');
  });
  cooperate(fake);
  const { problems } = await fake.host.check(never);
  expect(problems).toEqual([
    expect.stringMatching(/not signed by .* All webs on one database must share one signing-key$/),
  ]);
});

test('[KUBE-ACC7] the probe is in a user namespace like every other pod, and ends with the check', async () => {
  await using fake = await fakeHost();
  const stop = new AbortController();
  cooperate(fake);
  const cooperative = fake.server.admit;
  fake.server.admit = (path, object) => {
    cooperative(path, object);
    const pod = object as Pod;
    if (pod.metadata?.name !== 'probe-fake') return;
    delete pod.status;
    expect(pod.spec?.hostUsers).toBe(false);
    stop.abort(new DOMException('too late', 'TimeoutError'));
  };
  const { problems } = await fake.host.check(stop.signal);
  expect(problems).toEqual([
    expect.stringContaining("whether nodes reach the store's images could not be tested in time"),
  ]);
});

test('[KUBE-ACC7] nodes that have not heard yet of a store that has just started get a moment', async () => {
  await using fake = await fakeHost();
  cooperate(fake);
  const cooperative = fake.server.admit;
  let tries = 0;
  fake.server.admit = (path, object) => {
    cooperative(path, object);
    const waiting = (object as Pod).status?.containerStatuses?.[0]?.state?.waiting;
    if (waiting && ++tries === 1) waiting.message = 'connect: connection refused';
  };
  expect(await fake.host.check(never)).toEqual({ usable: true, problems: [], way: 'direct' });
  expect(tries).toBe(2);
});

test('[KUBE-ACC7] nodes that do not reach the store’s images', async () => {
  await using fake = await fakeHost();
  cooperate(
    fake,
    'failed to do request: Head "https://127.0.0.1:30123/v2/seaplane/probe/manifests/absent": dial tcp 127.0.0.1:30123: connect: connection refused',
  );
  const { problems } = await fake.host.check(never);
  expect(problems).toEqual([
    expect.stringMatching(
      /^nodes do not reach the store's images at 127.0.0.1:30123, .*connection refused.*iptables mode$/,
    ),
  ]);
  expect(fake.server.get(PODS, 'probe-fake')).toBeUndefined();
});
