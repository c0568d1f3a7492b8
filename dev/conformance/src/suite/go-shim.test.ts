import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '@seaplane/dev-toolchain/run.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeGoShim } from './go-shim.ts';

let directory: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'go-shim-'));
  const [shims, real] = [join(directory, 'shims'), join(directory, 'real')];
  await mkdir(real);
  await writeFile(join(real, 'go'), '#!/bin/sh\necho "real: $*"\n', { mode: 0o755 });
  await writeFile(join(directory, 'fly'), '#!/bin/sh\n', { mode: 0o755 });
  await writeGoShim(shims, join(directory, 'fly'));
  env = { ...process.env, PATH: `${shims}:${real}:${process.env['PATH']}` };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test('[CONF13] the build of fly hands out a copy of the cached one', async () => {
  const output = join(directory, 'out');
  const { stdout } = await run('sh', ['-c', `go build -o ${output} github.com/concourse/concourse/fly`], { env });
  expect(stdout).toBe('');
  expect(await readFile(output, 'utf8')).toBe('#!/bin/sh\n');
  expect((await stat(output)).mode & 0o111).toBe(0o111);
  expect((await stat(output)).ino).not.toBe((await stat(join(directory, 'fly'))).ino);
});

test.each([
  'build -o out github.com/concourse/concourse/cmd/concourse',
  'build -race -o out github.com/concourse/concourse/fly',
  'version',
])('[CONF13] %s goes to the real go', async (args) => {
  const { stdout } = await run('sh', ['-c', `go ${args}`], { env });
  expect(stdout).toBe(`real: ${args}\n`);
});
