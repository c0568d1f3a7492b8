import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Loop } from './loop.ts';

const never = 1_000_000;

test('[LOOP1] looks at once, and again when it is woken, also during a look', async () => {
  let looks = 0;
  const first = Promise.withResolvers<void>();
  await using loop = new Loop({
    name: 'test',
    intervalMs: never,
    onError: () => {},
    look: async () => {
      looks++;
      if (looks === 1) await first.promise;
      return undefined;
    },
  });
  await expect.poll(() => looks).toBe(1);
  loop.wake();
  loop.wake();
  first.resolve();
  await expect.poll(() => looks).toBe(2);
  await sleep(30);
  expect(looks).toBe(2);
  loop.wake();
  await expect.poll(() => looks).toBe(3);
});

test('[LOOP2] looks again without being woken: after its interval, or sooner if a look says so', async () => {
  let looks = 0;
  const look = async () => {
    looks++;
    return 5;
  };
  await using _loop = new Loop({ name: 'test', intervalMs: never, onError: () => {}, look });
  await expect.poll(() => looks).toBeGreaterThan(3);
});

test('[LOOP3] a look that fails is told and tried again', async () => {
  const errors: unknown[] = [];
  let looks = 0;
  await using _loop = new Loop({
    name: 'test',
    intervalMs: never,
    onError: (error, name) => errors.push([name, (error as Error).message]),
    look: async () => {
      if (looks++ === 0) throw new Error('no database');
      return undefined;
    },
  });
  await expect.poll(() => looks).toBe(2);
  expect(errors).toEqual([['test', 'no database']]);
});

test('[LOOP3] it is tried again sooner when it is woken: what failed may be back', async () => {
  let looks = 0;
  await using loop = new Loop({
    name: 'test',
    intervalMs: never,
    retryMs: [never],
    onError: () => loop.wake(),
    look: async () => {
      if (looks++ === 0) throw new Error('no database');
      return undefined;
    },
  });
  await expect.poll(() => looks, { timeout: 10_000 }).toBe(2);
});

test('[LOOP4] stopping ends a look through its signal, and waits for it', async () => {
  let ended = false;
  const loop = new Loop({
    name: 'test',
    intervalMs: never,
    onError: () => {},
    look: async (signal) => {
      await sleep(never, undefined, { signal }).catch(() => {});
      ended = true;
      return undefined;
    },
  });
  await sleep(10);
  await loop[Symbol.asyncDispose]();
  expect(ended).toBe(true);
});

test('[LOOP5] between two looks there is a rest, if it wants one, however often it is woken', async () => {
  const looks: number[] = [];
  const look = async () => {
    looks.push(performance.now());
    loop.wake();
    return undefined;
  };
  await using loop = new Loop({ name: 'test', intervalMs: never, restMs: 50, onError: () => {}, look });
  loop.wake();
  await expect.poll(() => looks.length).toBeGreaterThan(2);
  const [first = 0, second = 0, third = 0] = looks;
  expect(Math.min(second - first, third - second)).toBeGreaterThan(45);
});
