import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { withFileLock } from './file-lock.ts';

let directory: string;
let lock: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'file-lock-'));
  lock = join(directory, 'deep', 'lock');
});

afterEach(() => rm(directory, { recursive: true, force: true }));

test('holders follow one another, and the lock is gone in the end', async () => {
  const log: string[] = [];
  const holder = (name: string) =>
    withFileLock(lock, async () => {
      log.push(`${name} in`);
      await sleep(20);
      log.push(`${name} out`);
    });
  await Promise.all([holder('a'), holder('b'), holder('c')]);
  for (let i = 0; i < log.length; i += 2) expect(log[i + 1]).toBe(log[i]?.replace('in', 'out'));
  expect(existsSync(lock)).toBe(false);
});

test('an action that throws gives the lock back', async () => {
  await expect(withFileLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await withFileLock(lock, async () => 'again')).toBe('again');
});

test('the lock of a dead process is taken over', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  await withFileLock(lock, async () => {}); // makes the directory
  await writeFile(lock, String(child.pid));
  expect(await withFileLock(lock, async () => 'mine')).toBe('mine');
});

test.runIf(existsSync('/proc/self/stat'))('a pid that was given again does not keep the lock', async () => {
  await withFileLock(lock, async () => {});
  await writeFile(lock, `${process.pid} 1`); // this process did not start with the machine
  expect(await withFileLock(lock, async () => 'mine')).toBe('mine');
});

test('of many processes that find a dead owner, one at a time takes over', async () => {
  await withFileLock(lock, async () => {});
  const child = spawn('true');
  await once(child, 'exit');
  await writeFile(lock, String(child.pid));
  let inside = 0;
  const most: number[] = [];
  const holder = () =>
    withFileLock(lock, async () => {
      most.push(++inside);
      await sleep(1);
      inside--;
    });
  await Promise.all(Array.from({ length: 8 }, holder));
  expect(most).toEqual(Array(8).fill(1));
  expect(await readdir(dirname(lock))).toEqual([]);
});

test('a lock whose owner died before it could write its pid is taken over', async () => {
  await withFileLock(lock, async () => {});
  await writeFile(lock, '');
  await utimes(lock, new Date(0), new Date(0));
  expect(await withFileLock(lock, async () => 'mine')).toBe('mine');
});

test('onWait is called once', async () => {
  let waits = 0;
  const holds = Promise.withResolvers<void>();
  const told = Promise.withResolvers<void>();
  const first = withFileLock(lock, async () => {
    holds.resolve();
    await told.promise;
    await sleep(500); // long enough to be asked for more than once
  });
  await holds.promise;
  await withFileLock(
    lock,
    async () => {},
    () => {
      waits++;
      told.resolve();
    },
  );
  await first;
  expect(waits).toBe(1);
});
