import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeArtifactStore } from '../../testing/artifact-store-contract.ts';
import { MemoryStore } from '../../testing/memory-store.ts';
import { streamOf, tarOf } from '../../testing/tars.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import { DirectoryStore } from './directory-store.ts';

const runtime = createNodeRuntime();

describeArtifactStore('DirectoryStore', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'store-'));
  const store = await DirectoryStore.open(runtime, dir);
  return { store, [Symbol.asyncDispose]: () => rm(dir, { recursive: true }) };
});

describeArtifactStore('MemoryStore', async () => ({
  store: new MemoryStore(runtime),
  async [Symbol.asyncDispose]() {},
}));

let dir = '';
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'store-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const tree = () => streamOf(tarOf({ file: 'text' }));
const incoming = () => readdir(join(dir, 'incoming'));

test('[BC17] a killed store leaves half a tree, which the next one removes; stored artifacts remain', async () => {
  await (await DirectoryStore.open(runtime, dir)).put('a', tree());
  await mkdir(join(dir, 'incoming/left/over'), { recursive: true });
  const store = await DirectoryStore.open(runtime, dir);
  expect(await incoming()).toEqual([]);
  expect(await store.list()).toEqual(['a']);
});

test('[BC17] nothing is left where trees arrive, after a put, a failed put and a deletion', async () => {
  const store = await DirectoryStore.open(runtime, dir);
  await store.put('a', tree());
  await expect(store.put('b', streamOf(Buffer.from('not an archive')))).rejects.toThrow();
  await Promise.all([store.put('c', tree()), store.put('c', tree())]);
  await store.delete('a');
  expect(await incoming()).toEqual([]);
});
