import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePool } from '../make-pool.ts';
import { inTransaction } from '../queryable.ts';
import { cuttingProxy } from '../testing/cutting-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { notify } from './channels.ts';
import { Notifications } from './notifications.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

/** Collects what is heard, and lets a test wait for the next. */
function ear() {
  const heard: (string | undefined)[] = [];
  let wake = () => {};
  return {
    heard,
    listener: (payload: string | undefined) => {
      heard.push(payload);
      wake();
    },
    async until(count: number) {
      while (heard.length < count) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

test('[DB-NOTE1] a notification arrives on its channel when its transaction commits, and not if it rolls back', async () => {
  await using notifications = await Notifications.open(db.pool);
  const jobs = ear();
  const builds = ear();
  using _jobs = notifications.subscribe('job', jobs.listener);
  using _builds = notifications.subscribe('buildStarted', builds.listener);
  await expect(
    inTransaction(db.pool, async (tx) => {
      await notify(tx, 'job', 1);
      throw new Error('undone');
    }),
  ).rejects.toThrow('undone');
  await inTransaction(db.pool, async (tx) => {
    await notify(tx, 'job', 2);
    await notify(tx, 'job', 3);
    await notify(tx, 'buildStarted', 4);
  });
  await Promise.all([jobs.until(2), builds.until(1)]);
  expect(jobs.heard).toEqual(['2', '3']);
  expect(builds.heard).toEqual(['4']);
});

test('[DB-NOTE2] after a lost connection every listener is called to read again, and gets later notifications', async () => {
  await using notifications = await Notifications.open(db.pool);
  const jobs = ear();
  using _jobs = notifications.subscribe('job', jobs.listener);
  await db.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  );
  await jobs.until(1);
  await notify(db.pool, 'job', 7);
  await jobs.until(2);
  expect(jobs.heard).toEqual([undefined, '7']);
});

test('[DB-NOTE2] also when the new connection is lost while it begins to listen, and then each thing is heard once', async () => {
  await using proxy = await cuttingProxy(db.connection);
  const pool = makePool(proxy.connection);
  await using notifications = await Notifications.open(pool);
  const jobs = ear();
  using _jobs = notifications.subscribe('job', jobs.listener);
  proxy.cutAt('LISTEN', 1);
  await db.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  );
  await jobs.until(1);
  await sleep(500); // long enough for another attempt, if there were one under way
  const listening = () =>
    db.pool.query("SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'");
  const { rowCount } = await listening();
  expect(rowCount).toBe(1);
  await notify(db.pool, 'job', 7);
  await notify(db.pool, 'job', 8);
  await jobs.until(3);
  expect(jobs.heard).toEqual([undefined, '7', '8']);
  await notifications.close();
  await expect.poll(async () => (await listening()).rowCount).toBe(0);
  await pool.end();
});

test('[DB-NOTE3] a listener is not called after it has unsubscribed; closing ends the connection', async () => {
  const notifications = await Notifications.open(db.pool);
  const [gone, stays] = [ear(), ear()];
  notifications.subscribe('checks', gone.listener)[Symbol.dispose]();
  notifications.subscribe('checks', stays.listener);
  await notify(db.pool, 'checks', 1);
  await stays.until(1);
  expect(gone.heard).toEqual([]);
  await notifications.close();
  const { rows } = await db.pool.query(
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  );
  expect(rows).toHaveLength(0);
});
