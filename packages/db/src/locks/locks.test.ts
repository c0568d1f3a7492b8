import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePool } from '../make-pool.ts';
import { cuttingProxy } from '../testing/cutting-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { lockKey } from './lock-key.ts';
import { Locks } from './locks.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

const never = new AbortController().signal;

test('[DB-LOCK1] one holder at a time, in one process and among several', async () => {
  await using here = new Locks(db.pool);
  await using there = new Locks(db.pool);
  const lock = await here.tryAcquire('build', 1);
  expect(lock).toBeDefined();
  expect(await here.tryAcquire('build', 1)).toBeUndefined();
  expect(await there.tryAcquire('build', 1)).toBeUndefined();
  const atOnce = await Promise.all([here, here, there, there].map((locks) => locks.tryAcquire('build', 2)));
  expect(atOnce.filter(Boolean)).toHaveLength(1);
  await lock?.release();
  await lock?.release();
  const next = await there.tryAcquire('build', 1);
  expect(next).toBeDefined();
  await lock?.release(); // not the holder any more, so this does not free the lock
  expect(await here.tryAcquire('build', 1)).toBeUndefined();
});

test('[DB-LOCK2] locks of different kinds are different, even with the same id', async () => {
  await using locks = new Locks(db.pool);
  expect(await locks.tryAcquire('build', 3)).toBeDefined();
  expect(await locks.tryAcquire('scope', 3)).toBeDefined();
  expect(await locks.tryAcquire('component', 'scheduler')).toBeDefined();
  expect(await locks.tryAcquire('component', 'gc')).toBeDefined();
  const keys = [lockKey('build', 3), lockKey('scope', 3), lockKey('cache', '3'), lockKey('build', 2 ** 53 - 1)];
  for (const key of keys) expect(BigInt(key)).toBeLessThan(2n ** 63n);
});

test('[DB-LOCK3] waits for a lock that is held here or elsewhere, saying so once; a signal ends the wait', async () => {
  await using here = new Locks(db.pool);
  await using there = new Locks(db.pool);
  for (const locks of [here, there]) {
    const held = await here.tryAcquire('cache', 'x');
    const waits: string[] = [];
    const waiting = locks.acquire('cache', 'x', never, async () => {
      waits.push('waits');
      await held?.release();
    });
    await (await waiting).release();
    expect(waits).toEqual(['waits']);
  }
  await here.tryAcquire('cache', 'x');
  const stop = new AbortController();
  const waiting = there.acquire('cache', 'x', stop.signal, () => stop.abort(new Error('enough')));
  await expect(waiting).rejects.toThrow('enough');
});

test('[DB-LOCK4] when the connection ends, the holder’s signal is aborted and the lock can be taken again', async () => {
  await using here = new Locks(db.pool);
  await using there = new Locks(db.pool);
  const lock = await here.tryAcquire('build', 4);
  if (!lock) throw new Error('not free');
  const lost = new Promise((resolve) => lock.lost.addEventListener('abort', resolve));
  await db.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%advisory%' AND pid <> pg_backend_pid()",
  );
  await lost;
  await lock.release();
  const again = await there.acquire('build', 4, never);
  expect(await here.tryAcquire('build', 4)).toBeUndefined();
  await again.release();
  expect(await here.tryAcquire('build', 4)).toBeDefined();
});

test('[DB-LOCK5] closing frees them all', async () => {
  const here = new Locks(db.pool);
  await here.tryAcquire('build', 5);
  await here.close();
  await using there = new Locks(db.pool);
  expect(await there.acquire('build', 5, never)).toBeDefined();
  await expect(here.tryAcquire('build', 6)).rejects.toThrow('closed');
});

test('[DB-LOCK6] the server is asked to notice soon when the machine of a holder has gone', async () => {
  await using proxy = await cuttingProxy(db.connection);
  const pool = makePool(proxy.connection);
  await using locks = new Locks(pool);
  await locks.tryAcquire('build', 7);
  expect(proxy.sent()).toMatch(/tcp_keepalives_idle = \d\d;.*tcp_user_timeout = 30000\0.*pg_try_advisory_lock/s);
  await pool.end();
});

test('[DB-LOCK7] locks that are asked for at the same time take one statement, and are freed by one', async () => {
  await using proxy = await cuttingProxy(db.connection);
  const pool = makePool(proxy.connection);
  await using here = new Locks(pool);
  await using there = new Locks(db.pool);
  const ids = Array.from({ length: 200 }, (_, n) => 1_000 + n);
  await there.tryAcquire('build', 1_007);
  const locks = await Promise.all(ids.map((id) => here.tryAcquire('build', id)));
  expect(locks.filter((lock) => !lock)).toHaveLength(1);
  expect(locks[7]).toBeUndefined();
  await Promise.all(locks.map((lock) => lock?.release()));
  const statements = (name: string) => proxy.sent().split(name).length - 1;
  expect([statements('pg_try_advisory_lock'), statements('pg_advisory_unlock')]).toEqual([1, 1]);
  const freed = await Promise.all(ids.map((id) => there.tryAcquire('build', id)));
  expect(freed.filter(Boolean)).toHaveLength(199);
  await pool.end();
});

test('[DB-LOCK7] if the statement fails after it has got a lock, none of its locks is held', async () => {
  // As if the server had no room for more locks from the third on.
  await db.pool.query(`
    CREATE SCHEMA full_server;
    CREATE FUNCTION full_server.pg_try_advisory_lock(key bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
      IF key = ${lockKey('build', 3_002)} THEN RAISE 'out of shared memory' USING ERRCODE = '53200'; END IF;
      RETURN pg_catalog.pg_try_advisory_lock(key);
    END $$`);
  const pool = makePool({ ...db.connection, options: '-c search_path=full_server,pg_catalog,public' });
  await using here = new Locks(pool);
  await using there = new Locks(db.pool);
  const answers = await Promise.allSettled([3_000, 3_001, 3_002].map((id) => here.tryAcquire('build', id)));
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(await there.tryAcquire('build', 3_000)).toBeDefined();
  expect(await here.tryAcquire('build', 3_001)).toBeDefined();
  await pool.end();
});
