import { manualClock, quiet } from '@seaplane/engine/testing';
import { expect, test } from 'vitest';
import { Loop, type LoopOptions } from './loop.ts';

const INTERVAL_MS = 10_000;

/** A loop on a clock that stands still, and the number of its looks. */
function testLoop(look: LoopOptions['look'], options: Partial<LoopOptions> = {}) {
  const clock = manualClock();
  const errors: string[] = [];
  let looks = 0;
  const loop = new Loop({
    name: 'test',
    clock,
    intervalMs: INTERVAL_MS,
    onError: (error, name) => errors.push(`${name}: ${(error as Error).message}`),
    look: (signal) => {
      looks++;
      return look(signal);
    },
    ...options,
  });
  return { loop, clock, errors, looks: () => looks, [Symbol.asyncDispose]: () => loop[Symbol.asyncDispose]() };
}

test('[LOOP1] a loop looks at once, and again when it is woken; wake-ups during a look cause one more look', async () => {
  const first = Promise.withResolvers<void>();
  await using tested = testLoop(async () => {
    await first.promise;
    return undefined;
  });
  await quiet();
  expect(tested.looks()).toBe(1);
  tested.loop.wake();
  tested.loop.wake();
  first.resolve();
  await quiet();
  expect(tested.looks()).toBe(2);
  tested.loop.wake();
  await quiet();
  expect(tested.looks()).toBe(3);
});

test('[LOOP2] a loop that is not woken looks after its interval, or sooner if its look asked for that', async () => {
  const waits = [undefined, 100];
  await using tested = testLoop(async () => waits.shift());
  await tested.clock.advance(INTERVAL_MS - 1);
  expect(tested.looks()).toBe(1);
  await tested.clock.advance(1);
  expect(tested.looks()).toBe(2);
  await tested.clock.advance(100);
  expect(tested.looks()).toBe(3);
  await tested.clock.advance(100);
  expect(tested.looks()).toBe(3);
});

test('[LOOP3] a look that fails is reported and repeated after a growing wait', async () => {
  await using tested = testLoop(
    async () => {
      throw new Error('no database');
    },
    { retryMs: [100, 1_000] },
  );
  await tested.clock.advance(100);
  expect(tested.errors).toEqual(['test: no database', 'test: no database']);
  await tested.clock.advance(999);
  expect(tested.looks()).toBe(2);
  await tested.clock.advance(1);
  expect(tested.looks()).toBe(3);
});

test('[LOOP3] a wake-up repeats a failed look sooner, but not at once', async () => {
  await using tested = testLoop(
    async () => {
      throw new Error('no database');
    },
    { retryMs: [INTERVAL_MS] },
  );
  tested.loop.wake();
  await tested.clock.advance(999);
  expect(tested.looks()).toBe(1);
  await tested.clock.advance(1);
  expect(tested.looks()).toBe(2);
});

test('[LOOP4] stopping a loop aborts its look and waits for the look to end', async () => {
  let ended = false;
  const tested = testLoop(async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
    await quiet();
    ended = true;
    return undefined;
  });
  await quiet();
  await tested.loop[Symbol.asyncDispose]();
  expect(ended).toBe(true);
  expect(tested.looks()).toBe(1);
});

test('[LOOP5] a loop with a rest rests between two looks, however often it is woken', async () => {
  await using tested = testLoop(async () => undefined, { restMs: 50 });
  for (let at = 0; at < 49; at++) {
    tested.loop.wake();
    await tested.clock.advance(1);
  }
  expect(tested.looks()).toBe(1);
  await tested.clock.advance(1);
  expect(tested.looks()).toBe(2);
});
