import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { expect, test } from 'vitest';
import { parseArguments } from './arguments.ts';

const NAMES = ['step-start', 'latency'];

test('a benchmark, with nine rounds on cluster 0 unless said otherwise', () => {
  expect(parseArguments(['latency'], NAMES)).toEqual({ benchmark: 'latency', rounds: 9, index: 0 });
  expect(parseArguments(['step-start', '--rounds', '3', '--cluster', '1'], NAMES)).toEqual({
    benchmark: 'step-start',
    rounds: 3,
    index: 1,
  });
  expect(parseArguments(['--help'], NAMES)).toBe('help');
});

test.each([
  [[], 'name a benchmark: step-start, latency'],
  [['speed'], "unknown benchmark 'speed'"],
  [['latency', 'step-start'], "unexpected argument 'step-start'"],
  [['latency', '--fast'], '--fast'],
  [['latency', '--rounds', '0'], '--rounds is a whole number'],
  [['latency', '--rounds', 'many'], '--rounds is a whole number'],
  [['latency', '--cluster', '10'], '--cluster is a whole number'],
])('%j is refused before anything is started', (argv, message) => {
  expect(() => parseArguments(argv, NAMES)).toThrow(UsageError);
  expect(() => parseArguments(argv, NAMES)).toThrow(message);
});
