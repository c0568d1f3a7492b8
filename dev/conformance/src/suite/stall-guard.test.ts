import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StallGuard } from './stall-guard.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('[CONF19] a stall is reported once, and only when no spec ended for the whole time', () => {
  let stalls = 0;
  using guard = new StallGuard(1_000, () => stalls++);
  vi.advanceTimersByTime(999);
  guard.beat();
  vi.advanceTimersByTime(999);
  expect(stalls).toBe(0);
  vi.advanceTimersByTime(1);
  expect(stalls).toBe(1);
  vi.advanceTimersByTime(10_000);
  expect(stalls).toBe(1);
});

test('[CONF19] work that has ended cannot stall', () => {
  let stalls = 0;
  new StallGuard(1_000, () => stalls++)[Symbol.dispose]();
  vi.advanceTimersByTime(10_000);
  expect(stalls).toBe(0);
});
