import { expect, test } from 'vitest';
import { median } from './median.ts';

test('the middle one, or between the middle two', () => {
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 2, 100])).toBe(3);
  expect(() => median([])).toThrow(RangeError);
});
