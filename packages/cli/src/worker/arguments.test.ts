import { expect, test } from 'vitest';
import { parseWorkerArguments } from './arguments.ts';

const user = { isRoot: false, home: '/home/me', hostname: 'mac' };
const parse = (...args: string[]) => parseWorkerArguments(args, {}, user);

test('[WORK1] the server and the key are named, the rest has defaults', () => {
  expect(parse('--web', 'https://ci.example.com/x', '--key', '/k')).toEqual({
    kind: 'work',
    work: {
      web: new URL('https://ci.example.com/x'),
      key: '/k',
      name: 'mac',
      dataDir: '/home/me/.local/share/seaplane/worker',
      plainProcesses: false,
    },
  });
  const root = { ...user, isRoot: true };
  expect(parseWorkerArguments(['--reset'], {}, root)).toEqual({ kind: 'reset', dataDir: '/var/lib/seaplane/worker' });
  expect(parse('--help')).toEqual({ kind: 'help' });
  expect(parse('--web', 'http://ci', '--key', '/k', '--name', 'n', '--data-dir', '/d')).toMatchObject({
    work: { name: 'n', dataDir: '/d' },
  });
});

test('[WORK1] a mistake is named', () => {
  expect(() => parse('--key', '/k')).toThrow('name the server with --web URL');
  expect(() => parse('--web', 'http://ci')).toThrow('--key FILE');
  expect(() => parse('--web', 'ci.example.com', '--key', '/k')).toThrow('--web takes a URL such as');
  expect(() => parse('--tags', 'x')).toThrow("Unknown option '--tags'");
  expect(() => parseWorkerArguments(['--reset'], {}, { ...user, home: undefined })).toThrow('--data-dir');
});
