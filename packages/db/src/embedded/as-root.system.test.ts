import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { afterEach, test as anyTest, beforeEach, expect } from 'vitest';
import { FAST_SETTINGS, type TemporaryDirectory, temporaryDirectory, withClient } from '../testing/index.ts';
import type { Account } from './account.ts';
import { EmbeddedPostgres } from './embedded-postgres.ts';
import { prepareInstallation } from './installation/installation.ts';
import { findPostgresPackage } from './installation/postgres-package.ts';
import { runTool } from './server/run-tool.ts';

const test = anyTest.skipIf(whyNoRoot());

// Situations that only root can set up: other owners, directories closed to others, small and read-only file systems.

const run = promisify(execFile);
const NOBODY: Account = { uid: 65534, gid: 65534, dropped: true };

let temporary: TemporaryDirectory;

beforeEach(async () => {
  temporary = await temporaryDirectory();
});

afterEach(async () => {
  await temporary[Symbol.asyncDispose]();
});

async function uidOf(pid: number): Promise<number> {
  return (await stat(`/proc/${pid}`)).uid;
}

async function withMount(args: readonly string[], directory: string, action: () => Promise<void>): Promise<void> {
  await mkdir(directory, { recursive: true });
  await run('mount', [...args, directory]);
  try {
    await action();
  } finally {
    await run('umount', [directory]);
  }
}

test('[DB-EMB5] in a directory of another user the server is that user, who can use it without root later', async () => {
  const directory = join(temporary.path, 'db');
  await mkdir(directory);
  await chown(directory, NOBODY.uid, NOBODY.gid);
  const server = await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
  expect(await uidOf(server.pid)).toBe(NOBODY.uid);
  await server.stop();
  const index = new URL('./embedded-postgres.ts', import.meta.url).href;
  const program = `
    const { EmbeddedPostgres } = await import(${JSON.stringify(index)});
    const server = await EmbeddedPostgres.start({ directory: ${JSON.stringify(directory)}, settings: { fsync: 'off' } });
    console.log(process.getuid(), server.status);
    await server.stop();`;
  const result = await runTool(process.execPath, ['--input-type=module', '-e', program], { account: NOBODY });
  expect(result.output).toBe('65534 running\n');
});

test('[DB-EMB5] a user without an account on the system gets a database as well', async () => {
  const directory = join(temporary.path, 'db');
  await mkdir(directory);
  await chown(directory, 54_321, 54_321);
  await using server = await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
  expect(await uidOf(server.pid)).toBe(54_321);
  await withClient(server.connection, (client) => client.query('SELECT 1'));
});

test('[DB-EMB12] a directory below one that is closed to the server is refused, naming both', async () => {
  const closed = join(temporary.path, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const start = EmbeddedPostgres.start({ directory: join(closed, 'db') });
  await expect(start).rejects.toMatchObject({ code: 'directory-unusable' });
  await expect(start).rejects.toThrow(`cannot reach ${join(closed, 'db')} because ${closed} is closed to others`);
});

test("[DB-EMB12] root's narrow umask does not close the directories we make", async () => {
  const before = process.umask(0o077);
  try {
    await using server = await EmbeddedPostgres.start({
      directory: join(temporary.path, 'a', 'b'),
      settings: FAST_SETTINGS,
    });
    expect(await uidOf(server.pid)).not.toBe(0);
  } finally {
    process.umask(before);
  }
});

test('[DB-EMB14] programs that the server cannot read are copied once, and run', async () => {
  const closed = join(temporary.path, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const installed = await findPostgresPackage();
  const unreadable = { id: installed.id, root: join(closed, 'package') };
  await run('cp', ['-a', installed.root, unreadable.root]);
  await chmod(join(unreadable.root, 'native', 'bin', 'postgres'), 0o700); // as a narrow umask leaves it
  const softwareDirectory = join(temporary.path, 'software');
  await mkdir(softwareDirectory);
  await mkdir(join(softwareDirectory, `${installed.id}.partial`)); // a copy was interrupted

  const request = { account: NOBODY, softwareDirectory, package: unreadable };
  const first = await prepareInstallation(request);
  expect(first.postgres).toBe(join(softwareDirectory, installed.id, 'native', 'bin', 'postgres'));
  expect(await readdir(softwareDirectory)).toEqual([installed.id]);
  const { ino } = await stat(first.postgres);
  const second = await prepareInstallation(request);
  expect(second).toEqual(first);
  expect((await stat(second.postgres)).ino).toBe(ino);
});

test('[DB-EMB14] in a read-only node_modules the links are made elsewhere', async () => {
  const installed = await findPostgresPackage();
  const copy = join(temporary.path, 'package');
  await run('cp', ['-a', installed.root, copy]);
  const { stdout } = await run('find', [join(copy, 'native', 'lib'), '-type', 'l']);
  for (const link of stdout.split('\n').filter(Boolean)) await rm(link);
  const view = join(temporary.path, 'view');
  await withMount(['--bind', '-o', 'ro', copy], view, async () => {
    await run('mount', ['-o', 'remount,bind,ro', view]);
    const request = {
      account: NOBODY,
      softwareDirectory: join(temporary.path, 'software'),
      package: { id: 'x', root: view },
    };
    const installation = await prepareInstallation(request);
    expect(installation.postgres).toBe(join(view, 'native', 'bin', 'postgres'));
    const libraries = [join(temporary.path, 'software', 'x-links'), join(view, 'native', 'lib')];
    expect(installation.env).toEqual({ LD_LIBRARY_PATH: libraries.join(':') });
  });
});

test('[DB-EMB12] a full disk is called that, at the first start and at a later one', async () => {
  const disk = join(temporary.path, 'disk');
  await withMount(['-t', 'tmpfs', '-o', 'size=8m,mode=755', 'none'], disk, async () => {
    const start = EmbeddedPostgres.start({ directory: join(disk, 'db'), settings: FAST_SETTINGS });
    await expect(start).rejects.toMatchObject({ code: 'disk-full' });
    await expect(start).rejects.toThrow(
      /has 8 MB left, and PostgreSQL needs 80 MB. Make room there, then start again.$/,
    );
    expect((await readdir(join(disk, 'db'))).filter((name) => name.startsWith('data'))).toEqual([]);
  });
  await withMount(['-t', 'tmpfs', '-o', 'size=100m,mode=755', 'none'], disk, async () => {
    const directory = join(disk, 'db');
    await (await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS })).stop();
    await run('dd', ['if=/dev/zero', `of=${join(disk, 'filler')}`, 'bs=4096']).catch(() => {});
    const start = EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
    await expect(start).rejects.toMatchObject({ code: 'disk-full' });
    await rm(join(disk, 'filler'));
    await using server = await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
    expect(server.status).toBe('running');
  });
});
