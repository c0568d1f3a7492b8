import type { BaggageclaimClient } from '@seaplane/baggageclaim';
import type { Endpoint } from '@seaplane/orchestrator';
import { beforeEach, expect, test } from 'vitest';
import { steppingClock } from '../testing/fake-host.ts';
import { PodReach } from './pod-reach.ts';

const POD: Endpoint = { handle: 'task-1', url: 'https://10.0.0.1:7788', podUrl: 'https://10.0.0.1:7788' };
const connect = () => {
  throw new Error('nobody connects in this test');
};

let works: { direct: boolean; tunnel: boolean };
let asked: string[];
let reach: PodReach;
beforeEach(() => {
  works = { direct: true, tunnel: true };
  asked = [];
  const client = (endpoint: Endpoint) => {
    const way = endpoint.connect ? 'tunnel' : 'direct';
    const health = async () => {
      asked.push(way);
      if (!works[way]) throw new Error(`no answer by ${way}`);
    };
    return { health } as unknown as BaggageclaimClient;
  };
  reach = new PodReach({ client, tunnel: { open: async () => {}, connect }, clock: steppingClock() });
});

test('[KUBE-TUN2] the direct way is tried first, once for all that ask at the same time', async () => {
  expect(await Promise.all([reach.endpoint(POD), reach.endpoint(POD)])).toEqual([POD, POD]);
  expect(asked).toEqual(['direct']);
  expect(reach.words).toBe('direct');
});

test('[KUBE-TUN2] the tunnel is used if the expected server answers through it alone', async () => {
  works.direct = false;
  expect(await reach.endpoint(POD)).toEqual({ ...POD, connect });
  expect(await reach.endpoint(POD)).toEqual({ ...POD, connect });
  expect(asked).toEqual(['direct', 'tunnel']);
  expect(reach.words).toBe('tunnel through the API server');
});

test('[KUBE-TUN5] no way is remembered while none works, and a caller with patience looks again', async () => {
  works = { direct: false, tunnel: false };
  expect(await reach.endpoint(POD)).toEqual(POD);
  expect(reach.words).toBeUndefined();
  expect(reach.failure).toBe(
    'answers neither at https://10.0.0.1:7788 (no answer by direct) nor through the API server (no answer by tunnel)',
  );
  await reach.endpoint(POD, 2_000);
  expect(asked.length).toBeGreaterThan(4);
  works.tunnel = true;
  expect(await reach.endpoint(POD)).toEqual({ ...POD, connect });
  expect(reach.failure).toBeUndefined();
});

test('[KUBE-TUN4] a review of the tunnel finds that pods are reached directly now', async () => {
  works.direct = false;
  await reach.endpoint(POD);
  await reach.review('tunnel', POD);
  expect(reach.words).toBe('tunnel through the API server');
  works.direct = true;
  await reach.review('direct', POD); // not in use
  expect(reach.words).toBe('tunnel through the API server');
  await reach.review('tunnel', POD);
  expect(await reach.endpoint(POD)).toEqual(POD);
});

test('[KUBE-TUN4] a review of the direct way finds the tunnel, and keeps the way if neither works', async () => {
  await reach.endpoint(POD);
  works = { direct: false, tunnel: false };
  await reach.review('direct', POD);
  expect(reach.words).toBe('direct');
  works.tunnel = true;
  await reach.review('direct', POD);
  expect(await reach.endpoint(POD)).toEqual({ ...POD, connect });
});
