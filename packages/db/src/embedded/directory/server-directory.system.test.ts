import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FAST_SETTINGS, temporaryDirectory } from '../../testing/index.ts';
import { EmbeddedPostgres } from '../embedded-postgres.ts';
import { DirectoryLock } from './directory-lock.ts';
import { reportsFullDisk } from './free-space.ts';
import { reportsFailure } from './initialize-data.ts';
import { explainSystemError, giveTo, ServerDirectory } from './server-directory.ts';

/** Puts a file into data/ as if another program had made it. */
async function writeData(path: string, name: string, text: string): Promise<void> {
  await using directory = await ServerDirectory.open(path);
  await mkdir(directory.data, { mode: 0o700 });
  await writeFile(join(directory.data, name), text);
  await giveTo(directory.account, directory.data);
}

test('[DB-EMB6] a lock is held once, and free again when it is released', async () => {
  await using temporary = await temporaryDirectory();
  const path = join(temporary.path, 'lock');
  const first = DirectoryLock.acquire(path);
  expect(first).toBeDefined();
  expect(DirectoryLock.acquire(path)).toBeUndefined();
  first?.[Symbol.dispose]();
  using second = DirectoryLock.acquire(path);
  expect(second).toBeDefined();
});

test('[DB-EMB12] data of another major version is refused, with both versions', async () => {
  await using temporary = await temporaryDirectory();
  await writeData(temporary.path, 'PG_VERSION', '15\n');
  const start = EmbeddedPostgres.start({ directory: temporary.path, settings: FAST_SETTINGS });
  await expect(start).rejects.toMatchObject({ code: 'other-major-version' });
  await expect(start).rejects.toThrow(
    `${join(temporary.path, 'data')} was made by PostgreSQL 15 and this Seaplane brings PostgreSQL 18`,
  );
});

test('[DB-EMB12] a directory that is not a data directory is refused, not overwritten, and the lock is released', async () => {
  await using temporary = await temporaryDirectory();
  await writeData(temporary.path, 'important.txt', 'keep me');
  const start = () => EmbeddedPostgres.start({ directory: temporary.path, settings: FAST_SETTINGS });
  await expect(start()).rejects.toThrow('is not a PostgreSQL data directory (it has no PG_VERSION)');
  await rm(join(temporary.path, 'data'), { recursive: true });
  await using server = await start();
  expect(server.status).toBe('running');
});

test('[DB-EMB12] a path that cannot be a directory is explained', async () => {
  await using temporary = await temporaryDirectory();
  const file = join(temporary.path, 'file');
  await writeFile(file, '');
  for (const path of [file, join(file, 'below')]) {
    const start = EmbeddedPostgres.start({ directory: path });
    await expect(start).rejects.toMatchObject({ code: 'directory-unusable' });
    await expect(start).rejects.toThrow(`Cannot use ${path} for the database`);
  }
});

test('[DB-EMB12] errors of the file system become words with the path', () => {
  const system = (code: string) => Object.assign(new Error(`${code}: it said so`), { code });
  expect(explainSystemError(system('ENOSPC'), '/d')).toMatchObject({
    code: 'disk-full',
    message: 'The disk that holds /d is full. Make room there, then start again.',
  });
  expect(explainSystemError(system('EROFS'), '/d')).toMatchObject({ code: 'directory-unusable' });
  const other = system('EIO');
  expect(explainSystemError(other, '/d')).toBe(other);
});

test('[DB-EMB12] the words of PostgreSQL for a failed statement and for a full disk', () => {
  const at = '2026-11-16 04:42:29.714 UTC [25514]';
  expect(reportsFailure(`\nbackend> ${at} ERROR:  database "seaplane" already exists\n`)).toBe(true);
  expect(reportsFailure(`${at} PANIC:  could not write to file "pg_wal/xlogtemp.1"`)).toBe(true);
  expect(reportsFailure(`PostgreSQL stand-alone backend 18.4\nbackend> ${at} LOG:  checkpoint starting`)).toBe(false);
  expect(reportsFullDisk('could not extend file "base/1/2691": wrote only 4096 of 8192 bytes at block 10')).toBe(true);
  expect(reportsFullDisk('could not write to file: No space left on device')).toBe(true);
  expect(reportsFullDisk('could not open file "base/1/2691": No such file or directory')).toBe(false);
});
