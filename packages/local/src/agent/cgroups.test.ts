import { expect, test } from 'vitest';
import { limitsOf } from './cgroups.ts';

test.each([
  [512, '512', '20'],
  [1, '2', '1'],
  [10_000_000, '262144', '10000'],
])('[LOCAL11] %i CPU shares are %s in version 1 and a weight of %s in version 2', (cpu, shares, weight) => {
  expect(limitsOf({ cpu })).toEqual([{ controller: 'cpu', v1: ['cpu.shares', shares], v2: ['cpu.weight', weight] }]);
});

test('[LOCAL11] a memory limit is in bytes, and no limit is none', () => {
  expect(limitsOf({ memory: 1024 })).toEqual([
    { controller: 'memory', v1: ['memory.limit_in_bytes', '1024'], v2: ['memory.max', '1024'] },
  ]);
  expect(limitsOf({})).toEqual([]);
});
