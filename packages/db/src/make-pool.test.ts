import type pg from 'pg';
import { expect, test } from 'vitest';
import { isConnectionLost } from './connection-lost.ts';
import { DedicatedClient } from './dedicated-client.ts';
import { makePool } from './make-pool.ts';
import { inTransaction, oneRow, patiently } from './queryable.ts';
import { cuttingProxy } from './testing/cutting-proxy.ts';
import { createTestDatabase } from './testing/test-database.ts';

const lost = (act: Promise<unknown>) => act.then(undefined, (error: unknown) => isConnectionLost(error));
const backend = async (pool: pg.Pool) =>
  oneRow(await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).pid;

test('[DB-SAFE6] a statement that the server does not answer ends after a while, and its connection is dropped', async () => {
  await using db = await createTestDatabase();
  await using proxy = await cuttingProxy(db.connection);
  const pool = makePool({ ...proxy.connection, max: 1, query_timeout: 1000 });
  await pool.query('SELECT');
  proxy.fallSilent();
  expect(await lost(pool.query('SELECT'))).toBe(true);
  expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
});

test('[DB-SAFE6] a transaction that the server does not answer ends at once with its statement', async () => {
  await using db = await createTestDatabase();
  await using proxy = await cuttingProxy(db.connection);
  const pool = makePool({ ...proxy.connection, max: 1, query_timeout: 1000 });
  const silenced = inTransaction(pool, async (tx) => {
    proxy.fallSilent();
    await tx.query('SELECT');
  });
  expect(await lost(silenced)).toBe(true);
  expect(proxy.sent()).not.toContain('ROLLBACK');
  expect((await pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
});

test.each([
  ['is read-only', 'SET TRANSACTION READ ONLY', 'CREATE TABLE t ()'],
  ['cancels a statement', 'SET LOCAL statement_timeout = 1', 'SELECT pg_sleep(60)'],
])('[DB-SAFE4] [DB-SAFE5] the connection to a server that %s is not used again', async (_, setting, statement) => {
  await using db = await createTestDatabase();
  const pool = makePool({ ...db.connection, max: 1 });
  const before = await backend(pool);
  const refused = inTransaction(pool, async (tx) => {
    await tx.query(setting);
    await tx.query(statement);
  });
  expect(await lost(refused)).toBe(true);
  expect(await backend(pool)).not.toBe(before);
  await pool.end();
});

test('[DB-SAFE6] statements that may take long are not cut short', async () => {
  await using db = await createTestDatabase();
  const pool = makePool({ ...db.connection, query_timeout: 50 });
  expect(await lost(pool.query('SELECT pg_sleep($1)', [0.3]))).toBe(true);
  await pool.query(patiently('SELECT pg_sleep($1)', [0.3]));
  await pool.end();
});

test('[DB-SAFE6] a dedicated connection that does not answer is ended, and with it what the server did on it', async () => {
  await using db = await createTestDatabase();
  await using proxy = await cuttingProxy(db.connection);
  const pool = makePool({ ...proxy.connection, query_timeout: 1000 });
  const ended = Promise.withResolvers<void>();
  const client = await DedicatedClient.connect(pool, ended.resolve);
  proxy.fallSilent();
  await expect(client.query('SELECT pg_advisory_lock(1)')).rejects.toThrow();
  await ended.promise;
  const locked = async () => (await db.pool.query("SELECT FROM pg_locks WHERE locktype = 'advisory'")).rowCount;
  await expect.poll(locked).toBe(0);
});

test('[DB-SAFE7] an operation that waits for a connection of a busy pool has not lost one', async () => {
  await using db = await createTestDatabase();
  const config = { ...db.connection, max: 1 };
  const [failing, waiting] = [makePool(config, 'fail'), makePool(config, 'wait')];
  const used = await Promise.all([failing.connect(), waiting.connect()]);
  for (const pool of [failing, waiting]) pool.options.connectionTimeoutMillis = 50; // not for the first connections
  for (const act of [() => failing.query('SELECT'), () => inTransaction(failing, (tx) => tx.query('SELECT'))]) {
    const error: unknown = await act().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ name: 'DbError', code: 'pool-busy' });
    expect(isConnectionLost(error)).toBe(false);
  }
  const waits = [waiting.query('SELECT 1'), inTransaction(waiting, (tx) => tx.query('SELECT 1'))];
  await lost(failing.query('SELECT')); // the waits have lasted longer than the limit by now
  for (const client of used) client.release();
  for (const { rowCount } of await Promise.all(waits)) expect(rowCount).toBe(1);
  await Promise.all([failing.end(), waiting.end()]);
});
