import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Digest } from '../descriptor.ts';
import { LayerStore } from './layer-store.ts';

const signal = new AbortController().signal;
const NOW = Date.parse('2026-01-31T00:00:00Z');
let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'layers-'));
});
afterEach(() => rm(dir, { recursive: true }));

function digest(letter: string): Digest {
  return `sha256:${letter.repeat(64)}`;
}

/** Provides a layer, and says whether its bytes were asked for. */
async function provide(store: LayerStore, letter: string): Promise<'filled' | 'there'> {
  let how: 'filled' | 'there' = 'there';
  const fill = async (into: string) => {
    how = 'filled';
    await writeFile(join(into, 'file'), letter);
  };
  await store.provide({ diffId: digest(letter), blob: digest(letter) }, { fill, verify: async () => {} }, signal);
  return how;
}

/** A store with layers that were asked for so many days ago. */
async function storeWith(days: Readonly<Record<string, number>>): Promise<LayerStore> {
  const store = await LayerStore.open(dir);
  for (const [letter, age] of Object.entries(days)) {
    await provide(store, letter);
    const time = new Date(NOW - age * 86_400_000);
    await utimes(join(dir, 'used', letter.repeat(64)), time, time);
  }
  return store;
}

async function layersLeft(): Promise<string> {
  const names = (await readdir(dir)).filter((name) => name.length === 64);
  return names
    .map((name) => name[0])
    .sort()
    .join('');
}

const olderThan = (days: number) => async (unusedMs: number) => unusedMs >= days * 86_400_000;

test('[OCI29] layers that nobody has asked for for long go, and come again when an image names them', async () => {
  const store = await storeWith({ a: 20, b: 10, c: 15 });
  await store.collect({ isNeeded: () => false, isDue: olderThan(14) }, NOW);
  expect(await layersLeft()).toBe('b');
  expect([await readdir(join(dir, 'incoming')), await readdir(join(dir, 'used'))]).toEqual([[], ['b'.repeat(64)]]);
  expect(await readdir(join(dir, 'blobs'))).toEqual(['b'.repeat(64)]);
  expect(await store.find(digest('a'))).toBeUndefined();
  expect([await provide(store, 'a'), await provide(store, 'b')]).toEqual(['filled', 'there']);
});

test('[OCI29] the one that was asked for longest ago goes first, and the rule ends the collection', async () => {
  const store = await storeWith({ a: 1, b: 3, c: 2, d: 4 });
  const asked: number[] = [];
  const isDue = async (unusedMs: number) => asked.push(unusedMs / 86_400_000) < 3;
  await store.collect({ isNeeded: (path) => basename(path).startsWith('d'), isDue }, NOW);
  expect(asked).toEqual([3, 2, 1]);
  expect(await layersLeft()).toBe('ad');
});

test('[OCI29] a layer that is asked for while the collection looks stays', async () => {
  const store = await storeWith({ a: 20 });
  const isDue = async () => {
    expect(await store.find(digest('a'))).toBeDefined();
    return true;
  };
  await store.collect({ isNeeded: () => false, isDue }, NOW);
  expect(await layersLeft()).toBe('a');
});

test('[OCI29] a layer without a note of its use counts as used now', async () => {
  const store = await storeWith({ a: 20, b: 20 });
  await rm(join(dir, 'used', 'b'.repeat(64)));
  await store.collect({ isNeeded: () => false, isDue: olderThan(14) }, NOW);
  expect(await layersLeft()).toBe('b');
  await store.collect({ isNeeded: () => false, isDue: olderThan(14) }, Date.now() + 20 * 86_400_000);
  expect(await layersLeft()).toBe('');
});
