import { expect, test } from 'vitest';
import { parseQuantity } from './quantity.ts';

test.each([
  ['1', 1],
  ['500m', 0.5],
  ['64Mi', 64 * 2 ** 20],
  ['1.5G', 1.5e9],
  ['1e3', 1000],
  ['2E', 2e18],
])('[KUBE-POD6] %s is %d', (text, value) => {
  expect(parseQuantity(text)).toBe(value);
});

test.each(['', 'm', '1x', '-1', '1 Gi', 'Gi1'])('[KUBE-POD6] %j is not a quantity', (text) => {
  expect(parseQuantity(text)).toBeUndefined();
});
