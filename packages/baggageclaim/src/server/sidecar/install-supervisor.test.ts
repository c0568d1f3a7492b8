import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installSupervisor } from './install-supervisor.ts';

let dir = '';
let program = '';

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'install-'));
  program = join(dir, 'program');
  await writeFile(program, 'the program', { mode: 0o600 });
});
afterEach(() => rm(dir, { recursive: true }));

test('[BC36] a sidecar whose hook did not run installs the supervisor, as a program', async () => {
  const place = join(dir, 'control', 'supervisor');
  await installSupervisor(program, place);
  expect(await readFile(place, 'utf8')).toBe('the program');
  expect((await stat(place)).mode & 0o777).toBe(0o755);
  expect(await readdir(join(dir, 'control'))).toEqual(['supervisor']);
});

test('[BC36] it leaves a supervisor that is there alone', async () => {
  const place = join(dir, 'supervisor');
  await writeFile(place, 'installed by the hook');
  await installSupervisor(program, place);
  expect(await readFile(place, 'utf8')).toBe('installed by the hook');
});
