import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { expect, test } from 'vitest';
import { parseArguments, USAGE } from './arguments.ts';

const KINDS = ['web-killed', 'pod-deleted'];

test('[CHAOS8] defaults are few faults, all kinds and a new seed', () => {
  expect(parseArguments([], KINDS)).toMatchObject({ faults: 20, index: 0, keep: false, only: [] });
  expect(parseArguments([], KINDS)).not.toEqual(parseArguments([], KINDS));
  expect(parseArguments(['--help'], KINDS)).toBe('help');
});

test('[CHAOS8] every option is read', () => {
  const argv = ['--faults', '300', '--seed', 'x', '--cluster', '5', '--only', 'pod-deleted,web-killed', '--keep'];
  const only = ['pod-deleted', 'web-killed'];
  expect(parseArguments(argv, KINDS)).toEqual({ faults: 300, seed: 'x', index: 5, keep: true, only });
});

test.each([
  [['--faults', '0'], "--faults is a whole number from 1 to 100000, not '0'"],
  [['--cluster', '10'], "--cluster is a whole number from 0 to 9, not '10'"],
  [['--only', 'flood'], "unknown kind of fault 'flood': web-killed, pod-deleted"],
  [['now'], "unexpected argument 'now'"],
])('[CHAOS8] %j is a mistake', (argv, message) => {
  expect(() => parseArguments(argv, KINDS)).toThrow(new UsageError(message));
});

test('[CHAOS8] the usage names every option', () => {
  for (const option of ['--faults', '--seed', '--cluster', '--only', '--keep']) expect(USAGE).toContain(option);
});
