import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseRunArguments } from './arguments.ts';
import { readJob } from './read-job.ts';

const PIPELINE = `
resources:
- { name: repo, type: git, source: { uri: ((uri)), key: ((vault:key)) } }
- { name: other, type: git, source: { uri: ((other)) } }
jobs:
- name: unit
  plan:
  - get: src
    resource: repo
  - task: test
    params: { LEVEL: ((deep.level)), LOCAL: ((.:x)) }
    config: { platform: linux, run: { path: sh } }
- name: later
  plan: [{ get: other }]
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-job-'));
  await writeFile(join(folder, 'p.yml'), PIPELINE);
  await writeFile(join(folder, 'broken.yml'), 'jobs: [');
  await writeFile(join(folder, 'wrong.yml'), 'jobs: [{ name: unit, plan: [{ get: nope }] }]');
  await writeFile(join(folder, 'a.yml'), 'uri: from-a\ndeep: { level: from-a }\n');
  await writeFile(join(folder, 'b.yml'), 'uri: from-b\n');
  await writeFile(join(folder, 'list.yml'), '[1]');
});
afterAll(() => rm(folder, { recursive: true }));

async function read(...args: string[]) {
  const command = parseRunArguments(
    ['-c', join(folder, 'p.yml'), ...args],
    {},
    { isRoot: true, home: undefined, hostname: 'engine' },
  );
  if (command.kind !== 'run') throw new Error('not a run');
  return readJob(command.run);
}
const file = (name: string) => join(folder, name);

async function values(...args: string[]) {
  const { pipeline, job } = await read('-j', 'unit', ...args);
  const task = job.plan[1];
  const params = task?.kind === 'task' ? task.params : undefined;
  return { uri: pipeline.resources[0]?.source?.['uri'], level: params?.['LEVEL'] };
}

test('[RUN2] flags win over files, and a later file over an earlier one', async () => {
  const files = ['-l', file('a.yml'), '-l', file('b.yml')];
  expect(await values(...files)).toEqual({ uri: 'from-b', level: 'from-a' });
  expect(await values(...files, '-v', 'uri=flag')).toEqual({ uri: 'flag', level: 'from-a' });
  expect(await values('-v', 'uri=1', '-v', 'deep.level=2')).toEqual({ uri: '1', level: '2' });
  expect(await values('-y', 'uri={a: 1}', '-y', 'deep.level="x"')).toEqual({ uri: { a: 1 }, level: 'x' });
});

test.each([
  [['-j', 'nope'], 'no job nope; there are: unit, later'],
  [[], 'name the job with -j JOB; there are: unit, later'],
  [['-j', 'unit', '-i', 'repo=.'], 'the job unit has no input repo; there are: src'],
  [
    ['-j', 'unit', '-v', 'x=1'],
    'undefined vars: deep.level, uri. Give them with -v NAME=TEXT; of those given, there are: x',
  ],
  [['-j', 'later'], 'undefined vars: other. Give them with -v NAME=TEXT; of those given, there are none'],
  [['-j', 'unit', '-v', 'vault:key=1'], 'the variable vault:key belongs to the var source vault'],
  [['-j', 'unit', '-l', '/does/not/exist'], '/does/not/exist cannot be read: ENOENT'],
  [['-j', 'unit', '-y', 'x=[1'], '--yaml-var x: yaml: '],
])('[RUN3] %j is a mistake that says what there is', async (args, message) => {
  await expect(read(...args)).rejects.toThrow(message);
});

test.each([
  ['broken.yml', 'malformed config: error converting YAML to JSON'],
  ['wrong.yml', 'is not a valid pipeline:\ninvalid jobs'],
])('[RUN3] the mistakes of %s are reported', async (name, message) => {
  await expect(read('-c', file(name), '-j', 'unit')).rejects.toThrow(message);
});

test('[RUN3] a file of variables must be a map', async () => {
  await expect(read('-j', 'unit', '-l', file('list.yml'))).rejects.toThrow('list.yml must be a map of variables');
});
