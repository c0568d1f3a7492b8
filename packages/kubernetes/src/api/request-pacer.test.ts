import { expect, test } from 'vitest';
import { fakeHost, PODS, specOf, steppingClock } from '../testing/fake-host.ts';
import { RequestPacer, TooManyRequests } from './request-pacer.ts';

const never = new AbortController().signal;

test('[KUBE-API1] a request that is refused with 429 is sent again after the time that the API server gives', async () => {
  const clock = steppingClock();
  await using fake = await fakeHost({}, undefined, clock);
  let refusals = 2;
  fake.server.intercept = (request) =>
    request.method === 'POST' && request.url?.startsWith(PODS) && refusals-- > 0
      ? { code: 429, headers: { 'retry-after': '3' }, status: { message: 'too many requests' } }
      : undefined;
  await fake.host.create(specOf('task-1'), never);
  expect(fake.server.get(PODS, 'task-1')).toBeDefined();
  expect(clock.elapsedMs()).toBe(6_000);
  expect(fake.troubles).toEqual([
    'the API server has too many requests (429): web waits 3 s, and then sends at most 12 at a time',
    'the API server has too many requests (429): web waits 3 s, and then sends at most 6 at a time',
  ]);
});

test('[KUBE-API1] fewer requests are sent at a time after a 429, and slowly more when the API server answers', async () => {
  const slower: number[] = [];
  const pacer = new RequestPacer(steppingClock(), (_, atOnce) => void slower.push(atOnce));
  let [now, most] = [0, 0];
  const send = async () => {
    most = Math.max(most, ++now);
    await new Promise(setImmediate);
    now--;
  };
  const burst = async (count: number) => {
    most = 0;
    await Promise.all(Array.from({ length: count }, () => pacer.run(never, send)));
    return most;
  };
  expect(await burst(100)).toBe(24);
  const refused = [true, true, true];
  await Promise.all(
    refused.map((_, index) =>
      pacer.run(never, async () => {
        if (!refused[index]) return;
        refused[index] = false;
        throw new TooManyRequests(new Error('429'), undefined);
      }),
    ),
  );
  expect(slower).toEqual([12]);
  expect(await burst(12)).toBeLessThanOrEqual(13);
  await burst(1_000);
  expect(await burst(100)).toBe(24);
});

test('[KUBE-API1] an API server that goes on refusing is an error, and a signal ends the wait', async () => {
  const pacer = new RequestPacer(steppingClock(), () => {});
  const refuse = async () => {
    throw new TooManyRequests(new Error('still too many'), '1');
  };
  await expect(pacer.run(never, refuse)).rejects.toThrow('still too many');
  const stop = new AbortController();
  const waiting = pacer.run(stop.signal, refuse);
  stop.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
});
