import { expect, test } from 'vitest';
import { Reach } from './reach.ts';

test('[UI-LIVE7] what is shown is as old as the last answer before the first request without one', () => {
  let now = 0;
  const reach = new Reach(() => new Date(now));
  const hear = (at: number, status: number) => {
    now = at;
    reach.hear(status);
    return reach.lostSince.value?.getTime();
  };
  expect(hear(1, 200)).toBeUndefined();
  expect(hear(2, 404)).toBeUndefined();
  expect(hear(3, 0)).toBe(2);
  expect(hear(4, 502)).toBe(2);
  expect(hear(5, 304)).toBeUndefined();
  expect(hear(6, 503)).toBe(5);
});
