import {
  type BaggageclaimClient,
  BaggageclaimError,
  createClientFactory,
  createSigner,
  generateKeys,
  openRelay,
} from '@seaplane/baggageclaim';
import { type RelayedServer, relayedServer, serveTestRelay } from '@seaplane/baggageclaim/testing';
import { type Endpoint, systemClock } from '@seaplane/orchestrator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKubernetesHost, type KubernetesHost } from '../kubernetes-host.ts';
import { type FakeHost, fakeHost, PODS, runningStatus, specOf } from '../testing/fake-host.ts';
import { forwardTo } from '../testing/fake-port-forward.ts';
import { followHost } from '../testing/follow-host.ts';

const FORWARD = `GET ${PODS}/store-fake/portforward?ports=7787`;
const MANY = 300;
const soon = () => AbortSignal.timeout(50_000);
const eventually = (check: () => unknown) => expect.poll(check, { interval: 5, timeout: 10_000 });

let stack: AsyncDisposableStack;
let pod: RelayedServer;
let fake: FakeHost;
let host: KubernetesHost;
/** Whether the addresses of pods are routed to where web runs. */
let routed: boolean;
/** The requests that the pod got. */
let got: number;

beforeEach(async () => {
  stack = new AsyncDisposableStack();
  routed = false;
  got = 0;
  const signer = createSigner(generateKeys().privateKey);
  const secret = Buffer.from('of the authority of both');
  const serve = (name: string, onRequest: () => void) =>
    relayedServer(
      name,
      (_, response) => {
        onRequest();
        response.setHeader('Seaplane-Protocol', '2').end(JSON.stringify({ handle: name }));
      },
      secret,
    );
  pod = stack.use(await serve('task-1', () => got++));
  const store = stack.use(await serve('store-fake', () => {}));
  const relay = await serveTestRelay('store-fake', signer);
  stack.defer(() => relay.stop());
  fake = stack.use(await fakeHost());
  fake.server.onPortForward = forwardTo(relay.address);
  const make = createClientFactory(signer.sign, { certificate: pod.identity.authority });
  const away = { health: () => Promise.reject(new BaggageclaimError('unreachable', 'ETIMEDOUT')) };
  host = stack.use(
    createKubernetesHost(fake.target, {
      ...fake.services,
      clock: systemClock,
      client: (endpoint: Endpoint) =>
        routed || endpoint.connect ? make(endpoint) : (away as unknown as BaggageclaimClient),
      relay: (store, connection, signal) =>
        openRelay({ store, sign: signer.sign, clock: systemClock }, connection, signal),
    }),
  );
  stack.use(followHost(host));
  await eventually(() => fake.server.get(PODS, 'store-fake')).toBeDefined();
  fake.setStatus('store-fake', runningStatus(store.address));
  await host.create(specOf('task-1'), soon());
  fake.setStatus('task-1', runningStatus(pod.address));
});
afterEach(() => stack[Symbol.asyncDispose]());

const forwards = () => fake.server.requests.filter((request) => request === FORWARD).length;

describe('pods that do not answer at their addresses', () => {
  test('[KUBE-TUN1] are reached through one port-forward, however many calls there are', async () => {
    const clients = await Promise.all(Array.from({ length: MANY }, () => host.connect('task-1')));
    const answers = await Promise.all(clients.map((client) => client.health(soon())));
    expect(answers).toEqual(Array.from({ length: MANY }, () => ({ handle: 'task-1' })));
    expect(got).toBe(MANY + 1);
    expect(forwards()).toBe(1);
  });

  test('[KUBE-TUN3] are reached again when the tunnel was cut, by one that is dialled once', async () => {
    const client = await host.connect('task-1');
    fake.server.cutPortForwards();
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.health(soon())));
    expect(answers).toHaveLength(20);
    expect(forwards()).toBe(2);
    fake.server.cutPortForwards();
    await (await host.connect('task-1')).health(soon());
    expect(forwards()).toBe(3);
  });

  test('[KUBE-TUN3] are not dialled by every call while the API server refuses', async () => {
    await host.connect('task-1');
    const forward = fake.server.onPortForward;
    fake.server.onPortForward = undefined;
    fake.server.cutPortForwards();
    const client = await host.connect('task-1');
    const waiting = Promise.all(Array.from({ length: 50 }, () => client.health(soon())));
    waiting.catch(() => {});
    await eventually(forwards).toBeGreaterThan(2);
    const tried = forwards();
    fake.server.onPortForward = forward;
    await waiting;
    expect(tried).toBeLessThan(20);
  });
});

test('[KUBE-TUN2] pods that answer at their addresses are reached directly, without a port-forward', async () => {
  routed = true;
  expect(await (await host.connect('task-1')).health(soon())).toEqual({ handle: 'task-1' });
  expect(forwards()).toBe(0);
});

test('[KUBE-TUN2] the way that worked is remembered: later calls do not try the other one', async () => {
  await host.connect('task-1');
  const before = got;
  routed = true;
  await (await host.connect('task-1')).health(soon());
  expect(got).toBe(before + 1);
  expect(forwards()).toBe(1);
});

test('[KUBE-TUN4] the health check reports the way', async () => {
  const refusal = { code: 500 }; // of everything else that it asks
  fake.server.intercept = ({ method }) => (method === 'POST' ? refusal : undefined);
  await host.store();
  expect(await host.check(soon())).toMatchObject({ way: 'tunnel through the API server' });
  routed = true;
  expect(await host.check(soon())).toMatchObject({ way: 'direct' });
});
