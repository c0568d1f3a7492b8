import { UsageError } from '@seaplane/dev-toolchain/usage.ts';
import { expect, test } from 'vitest';
import { parseArguments, usage } from './arguments.ts';

const HOSTS = ['kubernetes', 'local', 'concourse'];

test('[CONF12] a host alone is enough', () => {
  expect(parseArguments(['--host', 'local'], HOSTS)).toEqual({ host: 'local', procs: 6, serve: false });
});

test('[CONF12] everything that can be said', () => {
  const argv = ['--host=kubernetes', '--focus', 'do$', '--procs', '2', '--out', '/x'];
  expect(parseArguments(argv, HOSTS)).toEqual({ host: 'kubernetes', focus: /do$/, procs: 2, serve: false, out: '/x' });
  expect(parseArguments(['--host', 'local', '--as', '8.2.5'], HOSTS)).toMatchObject({ as: '8.2.5' });
  expect(parseArguments(['--host', 'local', '--serve'], HOSTS)).toMatchObject({ serve: true });
  expect(parseArguments(['--host', 'local', '--browser'], HOSTS)).toMatchObject({ browser: true });
});

test('[CONF12] a comparison is with the local host, of the files that are named', () => {
  expect(parseArguments(['--compare'], HOSTS)).toMatchObject({ host: 'local', compare: [] });
  const argv = ['--compare', 'a.yml', 'b.yml', '--host', 'kubernetes'];
  expect(parseArguments(argv, HOSTS)).toMatchObject({ host: 'kubernetes', compare: ['a.yml', 'b.yml'] });
});

test.each([
  ['no host', [], '--host is missing; it is one of kubernetes, local, concourse'],
  ['an unknown host', ['--host', 'mars'], "unknown host 'mars'; it is one of kubernetes, local, concourse"],
  ['a pattern that is none', ['--host', 'local', '--focus', '('], '--focus is not a regular expression'],
  ['no processes', ['--host', 'local', '--procs', '0'], "from 1 to 64, not '0'"],
  ['too many processes', ['--host', 'local', '--procs', '65'], "from 1 to 64, not '65'"],
  ['a number that is none', ['--host', 'local', '--procs', 'two'], "not 'two'"],
  ['a version that is none', ['--host', 'local', '--as', '8'], "--as '8' is not a version"],
  ['a version for a host by hand', ['--host', 'local', '--serve', '--as', '8.2.5'], '--as is for runs of the suite'],
  ['an unknown option', ['--host', 'local', '--fast'], '--fast'],
  ['a stray word', ['--host', 'local', 'do'], 'do'],
  ['a comparison of Concourse with itself', ['--compare', '--host', 'concourse', 'a.yml'], 'one of kubernetes, local'],
  ['a comparison with a focus', ['--compare', '--focus', 'x', 'a.yml'], '--focus has no use with --compare'],
  ['a focus for browser tests', ['--host', 'local', '--browser', '--focus', 'x'], '--focus has no use with --browser'],
  ['a focus for a host that runs nothing', ['--host', 'local', '--serve', '--focus', 'x'], '--focus has no use'],
])('[CONF12] %s is an error of the command line', (_, argv, message) => {
  expect(() => parseArguments(argv, HOSTS)).toThrow(UsageError);
  expect(() => parseArguments(argv, HOSTS)).toThrow(message);
});

test('[CONF12] help is not an error and names the hosts', () => {
  expect(parseArguments(['--help'], HOSTS)).toBe('help');
  expect(usage(HOSTS)).toContain('--host kubernetes|local|concourse');
});
