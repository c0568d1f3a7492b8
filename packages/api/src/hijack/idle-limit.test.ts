import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { idleLimit } from './idle-limit.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['that nobody touches is reached', 1_000, false, true],
  ['that somebody touches is not', 1_000, true, false],
  ['of 0 is never reached', 0, false, false],
])('[API-HIJ13] a limit %s', async (_, ms, isTouched, isReached) => {
  using limit = idleLimit(ms);
  let reached = false;
  void limit.reached.then(() => {
    reached = true;
  });
  for (let step = 0; step < 4; step++) {
    await vi.advanceTimersByTimeAsync(400);
    if (isTouched) limit.touch();
  }
  expect(reached).toBe(isReached);
});

test('[API-HIJ13] nothing waits for a limit that is not used any more', () => {
  idleLimit(1_000)[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
});
