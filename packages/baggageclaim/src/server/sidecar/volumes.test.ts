import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Volumes } from './volumes.ts';

// The server has the build directory at `here/build`, and the volumes at /usr, /usr/share and /box at `here/mounts`.
let here = '';
let volumes: Volumes;
beforeEach(async () => {
  here = await realpath(await mkdtemp(join(tmpdir(), 'volumes-')));
  for (const dir of ['build', 'mounts/usr/share', 'mounts/box/build', 'mounts/box/seaplane', 'other']) {
    await mkdir(join(here, dir), { recursive: true });
  }
  await writeFile(join(here, 'other/file'), '');
  await symlink('build', join(here, 'linked'));
  const mounted = ['/usr', '/usr/share', '/box'].map((path) => ({ path, at: join(here, 'mounts', path) }));
  volumes = await Volumes.open([{ path: '/box/build', at: join(here, 'linked') }, ...mounted], ['/box/seaplane']);
});
afterEach(() => rm(here, { recursive: true, force: true }));

const at = (path: string) => join(here, 'build', path);
const forbidden = { code: 'forbidden' };

describe('directories', () => {
  test('[BC12] a directory is made or emptied, and no link in it is followed', async () => {
    await mkdir(at('in/sub'), { recursive: true });
    await symlink(join(here, 'other'), at('in/link'));
    await writeFile(at('in/.hidden'), '');
    expect(await volumes.emptyDirectory('/box/build/in')).toMatchObject({ path: at('in') });
    await volumes.emptyDirectory('/box/build/new/one');
    await volumes.makeDirectory('/usr/bin');
    expect(await readdir(at('in'))).toEqual([]);
    expect(await readdir(at('new/one'))).toEqual([]);
    expect(await readdir(join(here, 'mounts/usr'))).toEqual(['bin', 'share']);
    expect(await readdir(join(here, 'other'))).toEqual(['file']);
    await expect(volumes.emptyDirectory('relative')).rejects.toThrow('not absolute');
  });

  test('[BC12] a path whose link leads out of the volumes is refused, and so is a path in none', async () => {
    await mkdir(at('in/real'), { recursive: true });
    await symlink('real', at('in/within'));
    await symlink(join(here, 'other'), at('in/out'));
    await symlink('../../../../opt', at('in/up'));
    await symlink('nowhere', at('in/dangling'));
    await symlink('loop', at('in/loop'));
    await volumes.emptyDirectory('/box/build/in/within/sub');
    expect(await readdir(at('in/real'))).toEqual(['sub']);
    for (const path of ['in/out', 'in/up', 'in/out/deep/er']) {
      const message = "leads out of the sandbox's volumes";
      await expect(volumes.emptyDirectory(`/box/build/${path}`)).rejects.toThrow(message);
      await expect(volumes.makeDirectory(`/box/build/${path}`)).rejects.toThrow(message);
    }
    for (const path of ['/box/build/in/dangling', '/box/build/in/loop', '/opt/new', at('in')]) {
      await expect(volumes.emptyDirectory(path)).rejects.toThrow();
    }
    expect(await readdir(at('in'))).toEqual(['dangling', 'loop', 'out', 'real', 'up', 'within']);
    expect(await readdir(join(here, 'other'))).toEqual(['file']);
  });

  test('[BC12] mount points of the sandbox remain when a volume that they lie in is emptied', async () => {
    for (const path of ['usr/file', 'usr/share/file', 'box/file']) await writeFile(join(here, 'mounts', path), '');
    await writeFile(at('file'), '');
    const { path, empty } = await volumes.emptyDirectory('/usr');
    await volumes.emptyDirectory('/box');
    expect(path).toBe(join(here, 'mounts/usr'));
    await writeFile(join(here, 'mounts/usr/half'), '');
    await empty();
    expect(await readdir(join(here, 'mounts'), { recursive: true })).toEqual(
      expect.arrayContaining(['box', 'box/build', 'box/seaplane', 'usr', 'usr/share']),
    );
    expect(await readdir(join(here, 'mounts'), { recursive: true })).toHaveLength(5);
    expect(await readdir(at('.'))).toEqual(['file']);
  });
});

describe('reading', () => {
  test('[BC15] a path of the sandbox is read where the server has its volume', async () => {
    await writeFile(at('file'), '');
    expect(await volumes.readable('/box/build/file')).toEqual({ path: at('file'), kind: 'file' });
    expect(await volumes.readable('/usr/share')).toEqual({ path: join(here, 'mounts/usr/share'), kind: 'directory' });
    expect(await volumes.readable('/usr/../box/build/./file')).toMatchObject({ path: at('file') });
  });

  test('[BC15] no other path is read', async () => {
    for (const path of ['/etc/passwd', '/', '/usr/../etc', '/usrs', at('.'), join(here, 'other/file')]) {
      await expect(volumes.readable(path)).rejects.toMatchObject(forbidden);
    }
    await expect(volumes.readable('box')).rejects.toMatchObject({ code: 'bad-request' });
    for (const path of ['/usr/none', '/usr/none/below', '/box/build/none']) {
      await expect(volumes.readable(path)).rejects.toMatchObject({ code: 'not-found' });
    }
  });

  test("[BC15] a link leads to the path of the sandbox that it names, not to this server's", async () => {
    await mkdir(at('in'));
    await writeFile(at('in/file'), '');
    await writeFile(join(here, 'mounts/usr/share/words'), '');
    await symlink('/box/build/in/file', at('absolute'));
    await symlink('/usr/share', at('in/words'));
    await symlink(join(here, 'other/file'), at('in/own'));
    await symlink('/etc', at('in/etc'));
    await symlink('../../../box/build/in', join(here, 'mounts/usr/up'));
    expect(await volumes.readable('/box/build/absolute')).toEqual({ path: at('in/file'), kind: 'file' });
    expect(await volumes.readable('/usr/up/words/words')).toEqual({
      path: join(here, 'mounts/usr/share/words'),
      kind: 'file',
    });
    for (const path of ['in/own', 'in/etc', 'in/etc/passwd']) {
      await expect(volumes.readable(`/box/build/${path}`)).rejects.toMatchObject(forbidden);
    }
  });
});
