import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Store } from './store.ts';

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const fill = (text: string) => (into: string) => writeFile(join(into, 'file'), text);
const read = async (store: Store, id: string) => readFile(join(await store.find(id), 'file'), 'utf8');

test('[BC17] an artifact is there when it is whole, and never changes', async () => {
  const store = await Store.open(dir);
  const half = Promise.withResolvers<void>();
  const adding = store.add('a', async (into) => {
    await fill('first')(into);
    await half.promise;
  });
  expect(await store.has('a')).toBe(false);
  half.resolve();
  await adding;
  await store.add('a', fill('second'));
  expect(await read(store, 'a')).toBe('first');
});

test('[BC17] what fails leaves nothing, and can be tried again', async () => {
  const store = await Store.open(dir);
  const broken = store.add('a', async (into) => {
    await fill('half')(into);
    throw new Error('broken');
  });
  await expect(broken).rejects.toThrow('broken');
  expect(await readdir(join(dir, 'incoming'))).toEqual([]);
  await expect(store.find('a')).rejects.toMatchObject({ code: 'not-found' });
  await store.add('a', fill('whole'));
  expect(await read(store, 'a')).toBe('whole');
});

test('[BC17] asked for twice at once, it comes once', async () => {
  const store = await Store.open(dir);
  let fills = 0;
  const once = async (into: string) => {
    fills++;
    await fill('x')(into);
  };
  await Promise.all([store.add('a', once), store.add('a', once)]);
  expect(fills).toBe(1);
});

test('[BC17] what a killed store left is removed, what it had is there', async () => {
  await (await Store.open(dir)).add('a', fill('kept'));
  await mkdir(join(dir, 'incoming/left/over'), { recursive: true });
  const store = await Store.open(dir);
  expect(await readdir(join(dir, 'incoming'))).toEqual([]);
  expect(await read(store, 'a')).toBe('kept');
});

test('[BC18] listed and deleted', async () => {
  const store = await Store.open(dir);
  for (const id of ['b', 'a']) await store.add(id, fill(id));
  expect(await store.list()).toEqual(['a', 'b']);
  await store.delete('a');
  await store.delete('a');
  expect(await store.list()).toEqual(['b']);
  expect(await readdir(join(dir, 'incoming'))).toEqual([]);
});

test.each(['', '.', '..', '.hidden', 'a/b', 'a\0', 'x'.repeat(251), 'a b'])('[BC17] %j is no id', async (id) => {
  const store = await Store.open(dir);
  await expect(store.add(id, fill(''))).rejects.toMatchObject({ code: 'bad-request' });
});
