import { mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Accounts, imageKey } from './accounts.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'accounts-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const unknown = async (key: string): Promise<number> => {
  throw new Error(`${key} has no account`);
};
const open = (keys: string[] = [], capacity = 1_000, measure = unknown) => Accounts.open(dir, capacity, keys, measure);
const limits = (team: string) => ({ team, artifactBytes: 100, teamBytes: 150 });
const keep = (accounts: Accounts, key: string, bytes: number, team = 'a') =>
  accounts.charge(key, limits(team), async (set) => set(bytes));
const tooLarge = {
  code: 'too-large',
  message: expect.stringContaining('the most that the store keeps of one artifact'),
};
const full = (words: string) => ({ code: 'full', message: expect.stringContaining(words) });

test('[BC31] a team has its limit, which those of other teams do not use up', async () => {
  const accounts = await open();
  await expect(keep(accounts, 'x', 101)).rejects.toMatchObject(tooLarge);
  await keep(accounts, 'x', 100);
  await keep(accounts, 'y', 100, 'b');
  await expect(keep(accounts, 'z', 51)).rejects.toMatchObject(full('caches of this team may have 0.0 MiB, and z'));
  await keep(accounts, 'z', 50);
  await accounts.forget('x');
  await keep(accounts, imageKey('z'), 100);
});

test('[BC31] those that arrive at the same time count together, and one that fails does not count', async () => {
  const accounts = await open();
  const [more, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = accounts.charge('x', limits('a'), async (set) => {
    set(80);
    arrived.resolve();
    await more.promise;
    throw new Error('the sender has left');
  });
  await arrived.promise;
  await expect(keep(accounts, 'y', 80)).rejects.toMatchObject(full('of this team'));
  more.resolve();
  await expect(slow).rejects.toThrow('the sender has left');
  await keep(accounts, 'y', 80);
});

test('[BC31] all teams together have what the store may hold', async () => {
  const accounts = await open([], 250);
  await keep(accounts, 'x', 100);
  await keep(accounts, 'y', 100, 'b');
  await expect(keep(accounts, 'z', 60, 'c')).rejects.toMatchObject(full('of all teams together'));
});

test('[BC31] the limit that was exceeded is the reason, whatever that made of the stream', async () => {
  const exceed = (await open()).charge('x', limits('a'), async (set) => {
    try {
      set(101);
    } catch {
      throw new Error('the archive is cut short');
    }
  });
  await expect(exceed).rejects.toMatchObject(tooLarge);
});

test.each(['tar failed: tar: ./x: Wrote only 2048 of 10240 bytes', 'ENOSPC: no space left on device, mkdir'])(
  '[BC31] "%s" is said to be a full disk',
  async (message) => {
    const failing = (await open()).charge('x', limits('a'), () => Promise.reject(new Error(message)));
    await expect(failing).rejects.toMatchObject(full('its disk has no room left'));
  },
);

test('[BC31] accounts outlive the store; what has none is measured, and what is not there has none', async () => {
  const first = await open();
  for (const key of ['kept', 'gone', 'torn']) await keep(first, key, 40);
  await truncate(join(dir, 'accounts/torn'), 0);
  await writeFile(join(dir, 'accounts', ' half'), '');
  const measured: string[] = [];
  const second = await open(['kept', 'torn', 'new'], 215, async (key) => {
    measured.push(key);
    return 50;
  });
  expect(measured).toEqual(['torn', 'new']);
  expect(await readdir(join(dir, 'accounts'))).toEqual(['kept']);
  await expect(keep(second, 'x', 80)).rejects.toMatchObject(full('of all teams'));
  await keep(second, 'x', 75);
  await expect(keep(second, 'y', 36)).rejects.toMatchObject(full('of this team'));
});

test('[BC31] something that is there already keeps its account', async () => {
  const accounts = await open();
  await keep(accounts, 'x', 100);
  await accounts.charge('x', limits('a'), async () => {});
  await expect(keep(accounts, 'y', 60)).rejects.toMatchObject(full('of this team'));
});
