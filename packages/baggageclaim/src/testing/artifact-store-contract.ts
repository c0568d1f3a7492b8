import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ArtifactStore } from '../server/store/artifact-store.ts';
import { membersOf, streamOf, tarOf } from './tars.ts';

export interface StoreUnderTest extends AsyncDisposable {
  readonly store: ArtifactStore;
}

/** The rules that every implementation of `ArtifactStore` keeps (SPEC.md, BC17 and BC18). */
export function describeArtifactStore(name: string, open: () => Promise<StoreUnderTest>): void {
  describe(`${name} as an ArtifactStore`, () => {
    let opened: StoreUnderTest;
    let store: ArtifactStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened[Symbol.asyncDispose]());

    const put = (id: string, text = id) => store.put(id, streamOf(tarOf({ 'dir/file': text })));
    const textOf = async (id: string, path = 'dir/file') => Buffer.from(await store.getFile(id, path)).toString();

    test('[BC17] an artifact is there when all of it has been put, and not before', async () => {
      const tar = tarOf({ file: 'x'.repeat(100_000) });
      const rest = Promise.withResolvers<void>();
      const slow = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(tar.subarray(0, 50_000));
          await rest.promise;
          controller.enqueue(tar.subarray(50_000));
          controller.close();
        },
      });
      const putting = store.put('a', slow);
      expect(await store.has('a')).toBe(false);
      expect(await store.list()).toEqual([]);
      await expect(store.get('a')).rejects.toMatchObject({ code: 'not-found' });
      rest.resolve();
      await putting;
      expect(await store.has('a')).toBe(true);
      expect(await membersOf(await store.get('a'))).toEqual(['./', './file']);
    });

    test('[BC17] an artifact never changes, whoever puts it again', async () => {
      await put('a', 'first');
      await put('a', 'second');
      expect(await textOf('a')).toBe('first');
    });

    test('[BC17] of two puts at once one is kept, whole', async () => {
      await Promise.all([put('a', 'one'), put('a', 'two')]);
      expect(['one', 'two']).toContain(await textOf('a'));
      expect(await store.list()).toEqual(['a']);
    });

    test.each([
      ['cut short', tarOf({ file: 'x'.repeat(100_000) }).subarray(0, 50_000)],
      ['not an archive', Buffer.from('not an archive'.repeat(100))],
      ['empty', Buffer.alloc(0)],
    ])('[BC17] a stream that is %s keeps nothing, and the id can be put again', async (_, bytes) => {
      await expect(store.put('a', streamOf(bytes))).rejects.toMatchObject({ code: 'bad-request' });
      expect(await store.list()).toEqual([]);
      await put('a');
      expect(await textOf('a')).toBe('a');
    });

    test('[BC17] a stream that fails keeps nothing', async () => {
      const failing = new ReadableStream<Uint8Array>({
        start(controller) {
          controller.enqueue(tarOf({ file: 'text' }).subarray(0, 600));
          controller.error(new Error('the sender has gone'));
        },
      });
      await expect(store.put('a', failing)).rejects.toThrow();
      expect(await store.has('a')).toBe(false);
    });

    test.each(['', '.', '..', '.hidden', 'a/b', '../a', 'a\0', 'x'.repeat(251), 'a b'])(
      '[BC17] %j is not an id',
      async (id) => {
        const refused = { code: 'bad-request' };
        await expect(put(id)).rejects.toMatchObject(refused);
        await expect(store.get(id)).rejects.toMatchObject(refused);
        await expect(store.getFile(id, 'file')).rejects.toMatchObject(refused);
        await expect(store.has(id)).rejects.toMatchObject(refused);
        await expect(store.delete(id)).rejects.toMatchObject(refused);
      },
    );

    test('[BC18] one file is read by its path, and links lead nowhere else than into the artifact', async () => {
      const links = {
        inside: { link: 'dir/file' },
        outside: { link: '../other/dir/file' },
        far: { link: '/etc/hostname' },
      };
      await put('other');
      await store.put('a', streamOf(tarOf({ 'dir/file': 'text', ...links })));
      expect(await textOf('a')).toBe('text');
      expect(await textOf('a', '/dir/../inside')).toBe('text');
      for (const path of ['dir/none', '../other/dir/file', 'dir/file/more']) {
        await expect(store.getFile('a', path)).rejects.toMatchObject({ code: 'not-found' });
      }
      for (const path of ['outside', 'far']) await expect(store.getFile('a', path)).rejects.toThrow();
      await expect(store.getFile('a', 'dir')).rejects.toMatchObject({ code: 'bad-request' });
      await expect(store.getFile('none', 'dir/file')).rejects.toMatchObject({ code: 'not-found' });
    });

    test('[BC18] artifacts are listed by name, and a deleted one is not there; deleting it again is fine', async () => {
      for (const id of ['b', 'a', 'c']) await put(id);
      expect(await store.list()).toEqual(['a', 'b', 'c']);
      await store.delete('b');
      await store.delete('b');
      expect(await store.list()).toEqual(['a', 'c']);
      await expect(store.get('b')).rejects.toMatchObject({ code: 'not-found' });
      await put('b', 'again');
      expect(await textOf('b')).toBe('again');
    });

    test('[BC18] usage counts the artifacts, and the room that is left if that is limited', async () => {
      expect((await store.usage()).artifacts).toBe(0);
      await put('a');
      const { artifacts, freeBytes } = await store.usage();
      expect(artifacts).toBe(1);
      expect(freeBytes ?? 1).toBeGreaterThan(0);
    });

    test('[BC18] a directory, where the store has one, holds the same tree', async () => {
      await put('a');
      if (!store.directoryOf) return expect(await membersOf(await store.get('a'))).toContain('./dir/file');
      expect(await readdir(await store.directoryOf('a'))).toEqual(['dir']);
      await expect(store.directoryOf('none')).rejects.toMatchObject({ code: 'not-found' });
    });
  });
}
