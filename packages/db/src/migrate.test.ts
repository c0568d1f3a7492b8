import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from './migrate.ts';
import { makeMigration, readMigrations } from './migration-files.ts';
import { createTestDatabase, type TestDatabase, temporaryDirectory } from './testing/index.ts';

let database: TestDatabase;

beforeEach(async () => {
  database = await createTestDatabase({ empty: true });
});

afterEach(async () => {
  await database[Symbol.asyncDispose]();
});

async function withClient<T>(action: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await database.pool.connect();
  try {
    return await action(client);
  } finally {
    client.release();
  }
}

async function rows(sql: string): Promise<unknown[]> {
  return (await database.pool.query(sql)).rows;
}

const one = makeMigration(1, '0001-one.sql', 'CREATE TABLE one (n int); INSERT INTO one VALUES (1);');
const two = makeMigration(2, '0002-two.sql', 'INSERT INTO one VALUES (2);');

test('[DB-MIG1] migrations are applied in order, recorded, and applied once', async () => {
  expect(await withClient((client) => migrate(client, [one]))).toEqual(['0001-one.sql']);
  expect(await withClient((client) => migrate(client, [one, two]))).toEqual(['0002-two.sql']);
  expect(await withClient((client) => migrate(client, [one, two]))).toEqual([]);
  expect(await rows('SELECT n FROM one ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
  expect(await rows('SELECT version, name, checksum FROM schema_migration ORDER BY version')).toEqual([
    { version: 1, name: '0001-one.sql', checksum: one.checksum },
    { version: 2, name: '0002-two.sql', checksum: two.checksum },
  ]);
});

test("[DB-MIG1] this program's own migrations apply to an empty database", async () => {
  const migrations = await readMigrations();
  expect(await withClient((client) => migrate(client, migrations))).toEqual(migrations.map(({ name }) => name));
  expect(await rows('SELECT count(*)::int AS instances FROM instance')).toEqual([{ instances: 1 }]);
});

test('[DB-MIG1] files that leave a gap or have another form of name are refused', async () => {
  await using temporary = await temporaryDirectory();
  for (const names of [
    ['0002-late.sql'],
    ['0001-a.sql', '0003-c.sql'],
    ['1-short.sql'],
    ['0001-a.sql', '0001-b.sql'],
  ]) {
    const directory = join(temporary.path, names.join('+'));
    await mkdir(directory);
    for (const name of names) await writeFile(join(directory, name), '');
    await expect(readMigrations(directory)).rejects.toThrow('was expected here, as NNNN-name.sql');
  }
});

test('[DB-MIG2] of many migrators at once, one applies each migration', async () => {
  const many = [
    makeMigration(1, '0001-table.sql', 'CREATE TABLE slow (n int); SELECT pg_sleep(0.05);'),
    makeMigration(2, '0002-row.sql', 'INSERT INTO slow VALUES (1); SELECT pg_sleep(0.05);'),
  ];
  const applied = await Promise.all(Array.from({ length: 8 }, () => withClient((client) => migrate(client, many))));
  expect(applied.flat().sort()).toEqual(['0001-table.sql', '0002-row.sql']);
  expect(await rows('SELECT n FROM slow')).toEqual([{ n: 1 }]);
});

test('[DB-MIG3] a database that is newer than the program is refused and not changed', async () => {
  await withClient((client) => migrate(client, [one, two]));
  const older = withClient((client) => migrate(client, [one]));
  await expect(older).rejects.toMatchObject({ code: 'database-newer' });
  await expect(older).rejects.toThrow('has schema version 2 and this Seaplane knows versions up to 1');
  expect(await rows('SELECT n FROM one ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
});

test('[DB-MIG4] a migration that was changed after it was applied is found, and nothing is applied', async () => {
  await withClient((client) => migrate(client, [one]));
  const changed = makeMigration(1, '0001-one.sql', `${one.sql} -- improved`);
  const again = withClient((client) => migrate(client, [changed, two]));
  await expect(again).rejects.toMatchObject({ code: 'migration-changed' });
  await expect(again).rejects.toThrow('Migration 0001-one.sql was applied to this database with other contents');
  expect(await rows('SELECT n FROM one')).toEqual([{ n: 1 }]);
});

test('[DB-MIG4] the way lines end does not change a migration', () => {
  expect(makeMigration(1, 'a', 'SELECT 1;\r\nSELECT 2;\r\n')).toEqual(makeMigration(1, 'a', 'SELECT 1;\nSELECT 2;\n'));
});

test('[DB-MIG5] a migration that fails leaves no trace, and those before it stay', async () => {
  const broken = makeMigration(2, '0002-broken.sql', 'CREATE TABLE half (n int); SELECT 1/0;');
  const failed = withClient((client) => migrate(client, [one, broken]));
  await expect(failed).rejects.toMatchObject({ code: 'migration-failed' });
  await expect(failed).rejects.toThrow('Migration 0002-broken.sql failed and was undone: division by zero');
  expect(
    await rows("SELECT version FROM schema_migration UNION ALL SELECT 0 WHERE to_regclass('half') IS NOT NULL"),
  ).toEqual([{ version: 1 }]);
  expect(await withClient((client) => migrate(client, [one, two]))).toEqual(['0002-two.sql']);
});
