import { expect, test } from 'vitest';
import { canonicalDuration, isDuration, parseDuration } from './duration.ts';

test.each([
  ['1m', 60_000, '1m0s'],
  ['1h30m', 5_400_000, '1h30m0s'],
  ['24h', 86_400_000, '24h0m0s'],
  ['90s', 90_000, '1m30s'],
  ['1.5s', 1_500, '1.5s'],
  ['.5m', 30_000, '30s'],
  ['-2h', -7_200_000, '-2h0m0s'],
  ['250ms', 250, '250ms'],
  ['1500us', 1.5, '1.5ms'],
  ['1\u00b5s', 0.001, '1\u00b5s'],
  ['10ns', 0.00001, '10ns'],
  ['0', 0, '0s'],
])('[CFG-DUR1] %s', (text, milliseconds, canonical) => {
  expect(parseDuration(text)).toBe(milliseconds);
  expect(canonicalDuration(text)).toBe(canonical);
});

test.each([
  ['', 'time: invalid duration ""'],
  ['never', 'time: invalid duration "never"'],
  ['10', 'time: missing unit in duration "10"'],
  ['1d', 'time: unknown unit "d" in duration "1d"'],
  ['1h 2m', 'time: unknown unit "h " in duration "1h 2m"'],
  ['1toString', 'time: unknown unit "toString" in duration "1toString"'],
  ['300000000h', 'time: invalid duration "300000000h"'],
])('[CFG-DUR1] refuses %j', (text, message) => {
  expect(isDuration(text)).toBe(false);
  expect(() => parseDuration(text)).toThrow(message);
});
