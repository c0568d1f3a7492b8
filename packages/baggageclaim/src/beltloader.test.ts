import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory, inWaves } from './beltloader.ts';

const input = (path: string) => ({ path, from: [] });

test('[BC12] inputs come after those that they lie within, and otherwise together', () => {
  const paths = ['/w/a/b/c', '/w/x', '/w/a', '/w/ab', '/w/a/b', '/w/y/z'];
  expect(inWaves(paths.map(input)).map((wave) => wave.map(({ path }) => path))).toEqual([
    ['/w/x', '/w/a', '/w/ab', '/w/y/z'],
    ['/w/a/b'],
    ['/w/a/b/c'],
  ]);
  expect(inWaves([])).toEqual([]);
});

test('[BC12] a directory is made or emptied, stays itself, and no link is followed', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'beltloader-'));
  await mkdir(join(scratch, 'in/sub'), { recursive: true });
  await mkdir(join(scratch, 'other'));
  await writeFile(join(scratch, 'other/file'), '');
  await symlink(join(scratch, 'other'), join(scratch, 'in/link'));
  await writeFile(join(scratch, 'in/.hidden'), '');
  await emptyDirectory(join(scratch, 'in'));
  await emptyDirectory(join(scratch, 'new/one'));
  expect(await readdir(join(scratch, 'in'))).toEqual([]);
  expect(await readdir(join(scratch, 'new/one'))).toEqual([]);
  expect(await readdir(join(scratch, 'other'))).toEqual(['file']);
  await expect(emptyDirectory('relative')).rejects.toThrow('not absolute');
  await rm(scratch, { recursive: true });
});
