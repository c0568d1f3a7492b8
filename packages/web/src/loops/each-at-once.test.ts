import { expect, test } from 'vitest';
import { eachAtOnce } from './each-at-once.ts';

const never = new AbortController().signal;

test('[LOOP6] at most so many run at a time, in order, and all do', async () => {
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  await eachAtOnce([1, 2, 3, 4, 5, 6, 7], 3, never, async (item) => {
    begun.push(item);
    most = Math.max(most, ++running);
    await new Promise(setImmediate);
    running--;
  });
  expect(begun).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect([most, running]).toEqual([3, 0]);
});

test('[LOOP6] after a failure no more begin; the failure is thrown when all that have begun are done', async () => {
  const done: number[] = [];
  const all = eachAtOnce([1, 2, 3, 4], 2, never, async (item) => {
    if (item === 1) throw new Error('broke');
    await new Promise(setImmediate);
    done.push(item);
  });
  await expect(all).rejects.toThrow('broke');
  expect(done).toEqual([2]);
});

test('[LOOP6] after the signal no more begin', async () => {
  const stop = new AbortController();
  const done: number[] = [];
  await eachAtOnce([1, 2, 3, 4], 2, stop.signal, async (item) => {
    await new Promise(setImmediate);
    done.push(item);
    stop.abort();
  });
  expect(done).toEqual([1, 2]);
});
