import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Leases } from './leases.ts';

let directory: string;
let leases: Leases;

beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'leases-')), 'leases');
  leases = new Leases(directory);
});

afterEach(() => rm(join(directory, '..'), { recursive: true, force: true }));

test('is in use until the last live process has given its lease back, and then leaves nothing', async () => {
  expect(await leases.inUse()).toBe(false);
  await leases.take(process.pid);
  await leases.take(process.ppid);
  await leases.giveBack(process.pid);
  expect(await leases.inUse()).toBe(true);
  await leases.giveBack(process.ppid);
  expect(await leases.inUse()).toBe(false);
  expect(existsSync(directory)).toBe(false);
});

test('a process that died does not count', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  await leases.take(child.pid as number);
  expect(await leases.inUse()).toBe(false);
});
