import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ImageShelf } from './image-shelf.ts';

let dir = '';
beforeEach(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'shelf-')));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

const open = () => ImageShelf.open(dir, async (id) => id !== 'gone');
const blobs = () => readdir(join(dir, 'images/blobs/sha256'));

async function artifact(id: string, text = id): Promise<string> {
  const path = join(dir, 'artifacts', id);
  await mkdir(join(path, 'rootfs'), { recursive: true });
  await writeFile(join(path, 'rootfs/file'), text);
  await writeFile(join(path, 'metadata.json'), '{}');
  return path;
}

test.each([
  ['a rootfs that is a link to another artifact', 'rootfs', (path: string) => symlink('../other/rootfs', path)],
  [
    'metadata that is a link to another artifact',
    'metadata.json',
    (path: string) => symlink('../other/rootfs/file', path),
  ],
  ['metadata that nobody writes', 'metadata.json', async (path: string) => void execFileSync('mkfifo', [path])],
])('[BC19] %s is no image', async (_, name, put) => {
  await artifact('other', '{"env":["SECRET=1"]}');
  const path = await artifact('a');
  await rm(join(path, name), { recursive: true });
  await put(join(path, name));
  await expect((await open()).make('a', path)).rejects.toMatchObject({ code: 'bad-request' });
  expect(await blobs()).toEqual([]);
});

test('[BC19] links within the artifact are followed', async () => {
  const path = await artifact('a');
  await execFileSync('mv', [join(path, 'rootfs'), join(path, 'real')]);
  await symlink('real', join(path, 'rootfs'));
  expect(await (await open()).make('a', path)).toMatchObject({ env: [], user: '' });
});

test('[BC20] what a killed store left is swept away, and what it had is there', async () => {
  const first = await open();
  const kept = await first.make('kept', await artifact('kept'));
  const had = (await blobs()).sort();
  await first.make('gone', await artifact('gone'));
  await writeFile(join(dir, 'images/ingest/half'), '');
  await writeFile(join(dir, 'images/blobs/sha256', '0'.repeat(64)), '');
  const second = await open();
  expect((await blobs()).sort()).toEqual(had);
  expect(await readdir(join(dir, 'images/ingest'))).toEqual([]);
  expect(await readdir(join(dir, 'images/artifacts'))).toEqual(['kept.json']);
  expect(second.find(kept.path)?.answer).toEqual(kept);
});

test('[BC20] what is deleted while another is made goes after it, and the other is whole', async () => {
  const shelf = await open();
  for (const id of ['a', 'b']) await shelf.make(id, await artifact(id));
  const [same, other] = [await artifact('same', 'a'), await artifact('other')];
  const making = [shelf.make('same', same), shelf.make('other', other)];
  for (const id of ['a', 'b']) await shelf.delete(id);
  await Promise.all(making);
  await shelf.delete('other');
  const wanted = shelf.find((await shelf.make('same', same)).path)?.blobs.map(({ digest }) => digest.slice(7));
  expect((await blobs()).sort()).toEqual(wanted?.sort());
});

test('[BC20] what is deleted while it is made is not there afterwards', async () => {
  const shelf = await open();
  const making = shelf.make('a', await artifact('a'));
  await shelf.delete('a');
  expect(shelf.find((await making).path)).toBeUndefined();
  expect(await blobs()).toEqual([]);
});
