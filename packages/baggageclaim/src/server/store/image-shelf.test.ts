import { mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { MemoryStore } from '../../testing/memory-store.ts';
import { streamOf, type TreeEntry, tarOf } from '../../testing/tars.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import type { ArtifactStore } from './artifact-store.ts';
import { DirectoryStore } from './directory-store.ts';
import { ImageShelf } from './image-shelf.ts';

const runtime = createNodeRuntime();
const image = (text: string) => ({ 'rootfs/file': text, 'metadata.json': '{}' });

describe.each([
  ['a directory', (dir: string): Promise<ArtifactStore> => DirectoryStore.open(runtime, dir)],
  ['archives alone', async (): Promise<ArtifactStore> => new MemoryStore(runtime)],
])('images of a store of %s', (_, openStore) => {
  let dir = '';
  let store: ArtifactStore;
  beforeEach(async () => {
    dir = await realpath(await mkdtemp(join(tmpdir(), 'shelf-')));
    store = await openStore(dir);
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  const open = () => ImageShelf.open({ store, runtime }, dir);
  const blobs = () => readdir(join(dir, 'images/blobs/sha256'));
  const put = (id: string, tree: Record<string, TreeEntry> = image(id)) => store.put(id, streamOf(tarOf(tree)));

  test.each<[string, Record<string, TreeEntry>]>([
    ['a rootfs that is a link to another artifact', { rootfs: { link: '../other/rootfs' }, 'metadata.json': '{}' }],
    [
      'metadata that is a link to another artifact',
      { 'rootfs/file': '', 'metadata.json': { link: '../other/metadata.json' } },
    ],
    ['metadata that is a pipe', { 'rootfs/file': '', 'metadata.json': { kind: 'pipe' } }],
  ])('[BC19] %s is not an image', async (_name, tree) => {
    await put('other', { ...image(''), 'metadata.json': '{"env":["SECRET=1"]}' });
    await put('a', tree);
    await expect((await open()).make('a', () => {})).rejects.toMatchObject({ code: 'bad-request' });
    expect(await blobs()).toEqual([]);
    expect(await readdir(join(dir, 'images/ingest'))).toEqual([]);
  });

  test('[BC19] links within the artifact are followed', async () => {
    await put('a', { 'real/file': '', rootfs: { link: 'real' }, 'metadata.json': '{}' });
    expect(await (await open()).make('a', () => {})).toMatchObject({ env: [], user: '' });
  });

  test('[BC20] garbage of a killed store is deleted, and its images remain', async () => {
    const first = await open();
    await put('kept');
    const kept = await first.make('kept', () => {});
    const had = (await blobs()).sort();
    await put('gone');
    await first.make('gone', () => {});
    await store.delete('gone');
    await writeFile(join(dir, 'images/ingest/half'), '');
    await writeFile(join(dir, 'images/blobs/sha256', '0'.repeat(64)), '');
    const second = await open();
    expect((await blobs()).sort()).toEqual(had);
    expect(await readdir(join(dir, 'images/ingest'))).toEqual([]);
    expect(await readdir(join(dir, 'images/artifacts'))).toEqual(['kept.json']);
    expect(second.find(kept.path)?.answer).toEqual(kept);
  });

  test('[BC20] blobs of images deleted while another is made are deleted after it, and the other is whole', async () => {
    const shelf = await open();
    for (const id of ['a', 'b', 'other']) await put(id);
    await put('same', image('a'));
    for (const id of ['a', 'b']) await shelf.make(id, () => {});
    const making = [shelf.make('same', () => {}), shelf.make('other', () => {})];
    for (const id of ['a', 'b']) await shelf.delete(id);
    await Promise.all(making);
    await shelf.delete('other');
    const wanted = shelf.find((await shelf.make('same', () => {})).path)?.blobs.map(({ digest }) => digest.slice(7));
    expect((await blobs()).sort()).toEqual(wanted?.sort());
  });

  test('[BC20] an image that is deleted while it is made is gone afterwards', async () => {
    const shelf = await open();
    await put('a');
    const making = shelf.make('a', () => {});
    await shelf.delete('a');
    expect(shelf.find((await making).path)).toBeUndefined();
    expect(await blobs()).toEqual([]);
  });
});

test('[BC19] the same artifact gives the same image, from a directory and from its archive', async () => {
  const digests = await Promise.all(
    [(dir: string) => DirectoryStore.open(runtime, dir), async () => new MemoryStore(runtime)].map(
      async (openStore) => {
        const dir = await mkdtemp(join(tmpdir(), 'shelf-'));
        const store = await openStore(dir);
        await store.put('a', streamOf(tarOf({ ...image('text'), 'rootfs/link': { link: 'file' } })));
        const { digest } = await (await ImageShelf.open({ store, runtime }, dir)).make('a', () => {});
        await rm(dir, { recursive: true });
        return digest;
      },
    ),
  );
  expect(new Set(digests).size).toBe(1);
});
