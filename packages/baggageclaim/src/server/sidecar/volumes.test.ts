import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Volumes } from './volumes.ts';

let scratch = '';
let volumes: Volumes;
beforeEach(async () => {
  scratch = await mkdtemp(join(tmpdir(), 'volumes-'));
  await mkdir(join(scratch, 'build'));
  await mkdir(join(scratch, 'other'));
  await writeFile(join(scratch, 'other/file'), '');
  await symlink('build', join(scratch, 'linked'));
  volumes = await Volumes.open(join(scratch, 'linked'));
});
afterEach(() => rm(scratch, { recursive: true, force: true }));

const at = (path: string) => join(scratch, 'linked', path);

test('[BC12] a directory is made or emptied, and no link in it is followed', async () => {
  await mkdir(at('in/sub'), { recursive: true });
  await symlink(join(scratch, 'other'), at('in/link'));
  await writeFile(at('in/.hidden'), '');
  await volumes.emptyDirectory(at('in'));
  await volumes.emptyDirectory(at('new/one'));
  expect(await readdir(at('in'))).toEqual([]);
  expect(await readdir(at('new/one'))).toEqual([]);
  expect(await readdir(join(scratch, 'other'))).toEqual(['file']);
  await expect(volumes.emptyDirectory('relative')).rejects.toThrow('not absolute');
});

test('[BC12] a path whose link leads out of the volume is refused', async () => {
  await mkdir(at('in/real'), { recursive: true });
  await symlink('real', at('in/within'));
  await symlink(join(scratch, 'other'), at('in/out'));
  await symlink('../../other', at('in/up'));
  await symlink('nowhere', at('in/dangling'));
  await volumes.emptyDirectory(at('in/within/sub'));
  expect(await readdir(at('in/real'))).toEqual(['sub']);
  for (const path of ['in/out', 'in/up', 'in/out/deep/er']) {
    await expect(volumes.emptyDirectory(at(path))).rejects.toThrow("leads out of the sandbox's volumes");
    await expect(volumes.makeDirectory(at(path))).rejects.toThrow("leads out of the sandbox's volumes");
  }
  await expect(volumes.emptyDirectory(at('in/dangling'))).rejects.toThrow();
  expect(await readdir(join(scratch, 'other'))).toEqual(['file']);
});

test('[BC15] the root of a path is the volume that contains it, and no other path is read', async () => {
  await mkdir(join(scratch, 'other/deep'));
  await symlink('other', join(scratch, 'mount'));
  const mounts = [join(scratch, 'mount'), join(scratch, 'mount/deep')];
  const mounted = await Volumes.open(join(scratch, 'linked'), mounts);
  expect(mounted.rootOf(at('in'))).toBe(join(scratch, 'build'));
  expect(mounted.rootOf(join(scratch, 'mount/file'))).toBe(join(scratch, 'other'));
  expect(mounted.rootOf(join(scratch, 'mount/deep/file'))).toBe(join(scratch, 'other/deep'));
  const forbidden = expect.objectContaining({ code: 'forbidden' });
  for (const path of ['/etc/passwd', join(scratch, 'mount/../other'), at('../other'), join(scratch, 'mounts')]) {
    expect(() => mounted.rootOf(path)).toThrow(forbidden);
  }
  expect(() => volumes.rootOf(join(scratch, 'mount/file'))).toThrow(forbidden);
});
