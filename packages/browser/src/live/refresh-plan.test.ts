import { expect, test } from 'vitest';
import { delayAfterChange, intervalFor } from './refresh-plan.ts';

test('[UI-LIVE2] a page asks every five seconds without the stream, and seldom with it unless something moves', () => {
  expect(intervalFor(false, false)).toBe(5_000);
  expect(intervalFor(true, true)).toBe(5_000);
  expect(intervalFor(true, false)).toBe(60_000);
});

test('[UI-LIVE3] a change is asked for at once after a rest, and the rest is longer for slow lists', () => {
  expect(delayAfterChange(10_000, 0, 50)).toBe(0);
  expect(delayAfterChange(100, 0, 50)).toBe(150);
  expect(delayAfterChange(1_000, 0, 1_000)).toBe(4_000);
});
