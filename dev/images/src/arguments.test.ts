import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { expect, test } from 'vitest';
import { parseArguments } from './arguments.ts';
import { IMAGE_NAMES } from './image-names.ts';

test('[IMG9] commands', () => {
  expect(parseArguments(['build'])).toEqual({ kind: 'build', names: IMAGE_NAMES });
  expect(parseArguments(['build', 'mock', 'pause'])).toEqual({ kind: 'build', names: ['mock', 'pause'] });
  expect(parseArguments(['list'])).toEqual({ kind: 'list' });
  expect(parseArguments(['supervisor'])).toEqual({ kind: 'supervisor' });
  expect(parseArguments(['export', 'out'])).toEqual({ kind: 'export', directory: 'out' });
  expect(parseArguments(['build', '--help'])).toEqual({ kind: 'help' });
});

test.each([
  [[], 'a command is missing'],
  [['make'], "unknown command 'make'"],
  [['build', 'nothing'], 'no such image: nothing'],
  [['list', 'mock'], "unexpected argument 'mock'"],
  [['list', '--all'], '--all'],
  [['export'], 'DIR is missing'],
  [['supervisor', 'x64'], "unexpected argument 'x64'"],
  [['export', 'a', 'b'], "unexpected argument 'b'"],
])('[IMG9] %j is refused', (argv, message) => {
  expect(() => parseArguments(argv)).toThrow(UsageError);
  expect(() => parseArguments(argv)).toThrow(message);
});
