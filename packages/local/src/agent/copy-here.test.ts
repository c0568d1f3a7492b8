import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { copyHere } from './copy-here.ts';
import { findHere } from './trees-here.ts';

const { signal } = new AbortController();
const server = { name: 'x', authority: '' };
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'copy-here-'));
  for (const name of ['tree', 'artifact', 'into']) await mkdir(join(directory, name));
  await writeFile(join(directory, 'tree/file'), 'of a sandbox', { mode: 0o751 });
  await symlink('file', join(directory, 'tree/link'));
  await writeFile(join(directory, 'artifact/file'), 'of the store');
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const asked: unknown[] = [];
const copy = (url: string) =>
  copyHere(
    findHere({
      address: () => '127.0.0.1:7',
      locateInSandbox: async (...args) => {
        asked.push(args);
        if (args[2] !== 'token') throw new Error('refused');
        return join(directory, 'tree');
      },
      locateArtifact: async (...args) => {
        asked.push(args);
        return join(directory, 'artifact');
      },
    }),
  )({ url, token: url.includes('wrong') ? 'wrong' : 'token', server }, join(directory, 'into'), signal);

test('[LOCAL30] a directory of a sandbox here is copied with modes and links', async () => {
  expect(await copy('https://127.0.0.1:7/sandboxes/task%201/tree?path=%2Ftmp%2Fbuild%2Fout')).toBe(true);
  expect(asked.at(-1)).toEqual(['task 1', '/tmp/build/out', 'token']);
  expect((await readdir(join(directory, 'into'))).sort()).toEqual(['file', 'link']);
  const { mode } = await stat(join(directory, 'into/file'));
  expect(mode & 0o777).toBe((await stat(join(directory, 'tree/file'))).mode & 0o777);
  await writeFile(join(directory, 'into/file'), 'changed');
  expect(await readFile(join(directory, 'tree/file'), 'utf8')).toBe('of a sandbox');
});

test('[LOCAL30] an artifact of the store here is copied', async () => {
  expect(await copy('https://127.0.0.1:7/store/artifacts/a-1')).toBe(true);
  expect(asked.at(-1)).toEqual(['a-1', 'token']);
  expect(await readFile(join(directory, 'into/file'), 'utf8')).toBe('of the store');
});

test('[LOCAL30] other sources are not here, and a token that does not allow it is refused', async () => {
  for (const url of ['https://10.0.0.1:7788/tree?path=/a', 'https://127.0.0.1:7/sandboxes/x/files?path=/a'])
    expect(await copy(url)).toBe(false);
  await expect(copy('https://127.0.0.1:7/sandboxes/wrong/tree?path=/a')).rejects.toThrow('refused');
  expect(await readdir(join(directory, 'into'))).toEqual([]);
});
