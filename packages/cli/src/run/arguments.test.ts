import { expect, test } from 'vitest';
import { parseRunArguments } from './arguments.ts';

const user = { isRoot: false, home: '/home/ada', hostname: 'engine' };
const parse = (args: readonly string[], env = {}, machine = user) => parseRunArguments(args, env, machine);

test('[RUN1] reads all flags, short and long', () => {
  const short = ['-c', 'p.yml', '-j', 'unit', '-i', 'src=.', '-o', 'bin=out', '-v', 'a=1=2', '-y', 'b=[1]', '-l', 'x'];
  const long =
    '--config p.yml --job unit --input src=. --output bin=out --var a=1=2 --yaml-var b=[1] --load-vars-from x';
  const run = {
    config: 'p.yml',
    job: 'unit',
    inputs: [{ name: 'src', value: '.' }],
    outputs: [{ name: 'bin', value: 'out' }],
    vars: [{ name: 'a', value: '1=2' }],
    yamlVars: [{ name: 'b', value: '[1]' }],
    varFiles: ['x'],
    put: false,
    dataDir: '/home/ada/.cache/seaplane/run',
    verbose: false,
  };
  expect(parse(short)).toEqual({ kind: 'run', run });
  expect(parse(long.split(' '))).toEqual({ kind: 'run', run });
  expect(parse([...short, '--put', '--verbose', '--data-dir', '/d'])).toEqual({
    kind: 'run',
    run: { ...run, put: true, verbose: true, dataDir: '/d' },
  });
  expect(parse(['--help'])).toEqual({ kind: 'help' });
  expect(parse(['--reset', '--data-dir', '/d'])).toEqual({ kind: 'reset', dataDir: '/d' });
});

test('[RUN9] data is kept in a cache of the user', () => {
  const dirOf = (env: NodeJS.ProcessEnv, machine = user) => parse(['--reset'], env, machine);
  expect(dirOf({ XDG_CACHE_HOME: '/x' })).toMatchObject({ dataDir: '/x/seaplane/run' });
  expect(dirOf({}, { isRoot: true, home: '/root', hostname: 'engine' })).toMatchObject({
    dataDir: '/var/cache/seaplane/run',
  });
});

test.each([
  [[], 'name the pipeline with -c FILE'],
  [['-c', 'p.yml', '-i', 'src'], '--input takes NAME=VALUE, not "src"'],
  [['-c', 'p.yml', '-o', 'a=1', '-o', 'a=2'], '--output names a twice'],
  [['-c', 'p.yml', '--nope'], "Unknown option '--nope'"],
  [['p.yml'], "Unexpected argument 'p.yml'"],
])('[RUN3] %j is a mistake', (args, message) => {
  expect(() => parse(args)).toThrow(message);
});
