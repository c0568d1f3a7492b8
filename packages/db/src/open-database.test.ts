import { expect, test, vi } from 'vitest';
import { openDatabase } from './open-database.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';

vi.setConfig({ testTimeout: 30_000 });

function open(test: TestDatabase, queryTimeoutMs: number) {
  const { host, port, database, user } = test.connection;
  const url = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  return openDatabase({ kind: 'external', url }, { queryTimeoutMs, connectTimeoutMs: 2_000 });
}

test('[DB-OPEN6] while all connections for requests are in use, builds and collection have theirs', async () => {
  await using test = await createTestDatabase();
  await using database = await open(test, 30_000);
  const { pool } = database;
  const used = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  for (const other of [database.backgroundPool, database.collectionPool]) {
    expect((await other.query('SELECT 1')).rowCount).toBe(1);
  }
  for (const client of used) client.release();
});

test('[DB-OPEN6] statements for requests and builds have a time limit that collection does not have', async () => {
  await using test = await createTestDatabase();
  await using database = await open(test, 500);
  for (const pool of [database.pool, database.backgroundPool]) {
    await expect(pool.query('SELECT pg_sleep(60)')).rejects.toMatchObject({ code: 'connection-lost' });
  }
  await database.collectionPool.query('SELECT pg_sleep(1)');
});

test('[DB-OPEN6] a migration is not cut short', async () => {
  await using test = await createTestDatabase();
  const migrator = await test.pool.connect();
  await migrator.query('SELECT pg_advisory_lock(7317215804)');
  const opening = open(test, 500);
  const waited = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND now() - query_start > '1 s'`;
  await expect.poll(async () => (await test.pool.query(waited)).rowCount, { timeout: 10_000 }).toBe(1);
  migrator.release(true); // frees the lock
  await using database = await opening;
  expect(database.instance.id).toMatch(/^[0-9a-f-]{36}$/);
});
