import { expect, test } from 'vitest';
import { FailedLogins } from './failed-logins.ts';

test('[API-LOGIN8] many failures under other names do not use more and more memory: the oldest are forgotten', () => {
  let now = 0;
  const failed = new FailedLogins({ elapsedMs: () => now });
  const first = { name: 'first', address: 'a' };
  for (let i = 0; i < 10; i += 1) failed.record(first);
  now += 1_500;
  expect(failed.secondsToWait(first)).toBe(59);
  for (let i = 0; i < 9_999; i += 1) failed.record({ name: `name-${i}`, address: 'a' });
  expect(failed.secondsToWait(first)).toBe(59);
  failed.record({ name: 'one-more', address: 'a' });
  expect(failed.secondsToWait(first)).toBe(0);
});
