import { expect, test } from 'vitest';
import { isConnectionLost } from './connection-lost.ts';
import { makePool } from './make-pool.ts';
import { inTransaction } from './queryable.ts';
import { createTestDatabase } from './testing/test-database.ts';

test('[DB-SAFE2] a transaction is whole or not at all, also as a part of its caller’s', async () => {
  await using db = await createTestDatabase();
  await db.pool.query('CREATE TABLE t (n int)');
  const insert = (n: number) => (tx: { query(sql: string, values: number[]): Promise<unknown> }) =>
    tx.query('INSERT INTO t VALUES ($1)', [n]);
  await inTransaction(db.pool, insert(1));
  const failed = inTransaction(db.pool, async (tx) => {
    await inTransaction(tx, insert(2));
    throw new Error('undone');
  });
  await expect(failed).rejects.toThrow('undone');
  expect((await db.pool.query('SELECT n FROM t')).rows).toEqual([{ n: 1 }]);
});

test('[DB-SAFE3] transactions that wait for each other in a circle are all done in the end', async () => {
  await using db = await createTestDatabase();
  await db.pool.query('CREATE TABLE t (id int PRIMARY KEY, n int); INSERT INTO t VALUES (1, 0), (2, 0)');
  const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const add = (first: number, second: number) =>
    inTransaction(db.pool, async (tx) => {
      await tx.query('UPDATE t SET n = n + 1 WHERE id = $1', [first]);
      met[first - 1]?.resolve();
      await met[second - 1]?.promise; // from here on each has what the other wants
      await tx.query('UPDATE t SET n = n + 1 WHERE id = $1', [second]);
    });
  await Promise.all([add(1, 2), add(2, 1)]);
  expect((await db.pool.query('SELECT n FROM t')).rows).toEqual([{ n: 2 }, { n: 2 }]);
});

test('[DB-SAFE4] a connection that broke within a transaction is not used again', async () => {
  await using db = await createTestDatabase();
  const broken = inTransaction(db.pool, async (tx) => {
    await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
  });
  await expect(broken).rejects.toThrow();
  expect((await db.pool.query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }]);
});

test('[DB-SAFE5] an operation that fails for want of a connection fails with that code, in a transaction or not', async () => {
  await using db = await createTestDatabase();
  const end = 'SELECT pg_terminate_backend(pg_backend_pid())';
  const failure = (act: Promise<unknown>) => act.then(undefined, (error: unknown) => isConnectionLost(error));
  expect(await failure(db.pool.query(end))).toBe(true);
  expect(await failure(inTransaction(db.pool, (tx) => tx.query(end)))).toBe(true);
  expect(await failure(db.pool.query('SELECT 1 / 0'))).toBe(false);
  expect(await failure(inTransaction(db.pool, (tx) => tx.query('SELECT 1 / 0')))).toBe(false);
  const ours = inTransaction(db.pool, async () => {
    throw new Error('undone');
  });
  expect(await failure(ours)).toBe(false);
  const nowhere = makePool({ host: '/nowhere' });
  expect(await failure(nowhere.query('SELECT'))).toBe(true);
  expect(await failure(inTransaction(nowhere, (tx) => tx.query('SELECT')))).toBe(true);
});
