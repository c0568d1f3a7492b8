import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { describe, expect, test } from 'vitest';
import { parseArguments } from './arguments.ts';

describe('[CL11] parseArguments', () => {
  test('commands, with cluster 0 unless another is named', () => {
    expect(parseArguments(['up'])).toEqual({ kind: 'up', index: 0 });
    expect(parseArguments(['down', '--cluster', '1'])).toEqual({ kind: 'down', index: 1 });
    expect(parseArguments(['target', 'ci', '--cluster=2'])).toEqual({ kind: 'target', index: 2, namespace: 'ci' });
    expect(parseArguments(['status'])).toEqual({ kind: 'status' });
    expect(parseArguments(['status', '--cluster', '0'])).toEqual({ kind: 'status', index: 0 });
    expect(parseArguments(['up', '--help'])).toEqual({ kind: 'help' });
  });

  test('arguments of kubectl are left to kubectl', () => {
    expect(parseArguments(['kubectl', 'get', 'pods', '-n', 'ci', '--help'])).toEqual({
      kind: 'kubectl',
      index: 0,
      args: ['get', 'pods', '-n', 'ci', '--help'],
    });
    expect(parseArguments(['kubectl', '--cluster', '1', 'version'])).toMatchObject({ index: 1, args: ['version'] });
    expect(parseArguments(['kubectl', '--cluster=1', 'version'])).toMatchObject({ index: 1, args: ['version'] });
  });

  test.each([
    [[], 'a command is missing'],
    [['start'], "unknown command 'start'"],
    [['up', '--fast'], '--fast'],
    [['down', '1'], "unexpected argument '1'"],
    [['status', '1'], "unexpected argument '1'"],
    [['target', 'ci', 'more'], "unexpected argument 'more'"],
    [['target'], 'target needs the name of a namespace'],
    [['up', '--cluster', '10'], '--cluster is a whole number from 0 to 9'],
    [['up', '--cluster='], '--cluster is a whole number from 0 to 9'],
    [['up', '--cluster', 'one'], '--cluster is a whole number from 0 to 9'],
    [['kubectl', '--cluster'], '--cluster is a whole number from 0 to 9'],
  ])('%j is refused', (argv, message) => {
    expect(() => parseArguments(argv)).toThrow(UsageError);
    expect(() => parseArguments(argv)).toThrow(message);
  });
});
