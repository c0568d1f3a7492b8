import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, test, vi } from 'vitest';
import { openDatabase } from './open-database.ts';
import { createTestDatabase, type TestDatabase } from './testing/test-database.ts';

vi.setConfig({ testTimeout: 30_000 });

function open(test: TestDatabase, queryTimeoutMs: number) {
  const { host, port, database, user } = test.connection;
  const url = `postgresql://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`;
  return openDatabase({ kind: 'external', url }, { queryTimeoutMs, connectTimeoutMs: 2_000 });
}

/** Answers the first connections as a server that recovers does, then passes them on. */
async function recoveringServer(test: TestDatabase, refusals: number, port = 0) {
  let left = refusals;
  const listener = createServer((client) => {
    client.on('error', () => {});
    if (left-- > 0) return void client.once('data', () => client.end(STARTING_UP));
    const { host, port: socket } = test.connection;
    const upstream = connect(`${host}/.s.PGSQL.${socket}`).on('error', () => {});
    client.pipe(upstream).pipe(client);
  }).listen(port, '127.0.0.1');
  await once(listener, 'listening');
  return { listener, port: (listener.address() as { port: number }).port };
}

const STARTING_UP = errorResponse('57P03', 'the database system is starting up');

function errorResponse(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Time passes only by being waited for. */
function waiting(patienceMs: number, onPause: () => Promise<unknown> = async () => {}) {
  const messages: string[] = [];
  const clock = {
    passed: 0,
    elapsedMs: () => clock.passed,
    sleep: async (ms: number) => {
      await onPause();
      clock.passed += ms;
    },
  };
  return { messages, clock, wait: { clock, patienceMs, onWait: (message: string) => void messages.push(message) } };
}

const urlOf = ({ connection: { user, database } }: TestDatabase, port: number) =>
  `postgresql://${user}@127.0.0.1:${port}/${database}`;

test('[DB-OPEN7] a server that recovers is waited for, and the reason is reported once', async () => {
  await using test = await createTestDatabase();
  const { listener, port } = await recoveringServer(test, 3);
  const { wait, messages, clock } = waiting(60_000);
  await using database = await openDatabase({ kind: 'external', url: urlOf(test, port) }, { wait });
  expect(await database.health()).toMatchObject({ status: 'ok' });
  expect(messages).toEqual([expect.stringMatching(/the database system is starting up.*Waiting for it, 60 s at most/)]);
  expect(clock.passed).toBe(250 + 500 + 1_000);
  listener.close();
});

test('[DB-OPEN7] a server that does not listen yet is waited for', async () => {
  await using test = await createTestDatabase();
  const { listener: first, port } = await recoveringServer(test, 0);
  first.close();
  await once(first, 'close');
  let listener = first;
  const { wait, messages } = waiting(60_000, async () => {
    if (!listener.listening) ({ listener } = await recoveringServer(test, 0, port));
  });
  await using database = await openDatabase({ kind: 'external', url: urlOf(test, port) }, { wait });
  expect(database.kind).toBe('external');
  expect(messages).toEqual([expect.stringContaining('ECONNREFUSED')]);
  listener.close();
});

test('[DB-OPEN7] a server that stays away is an error when the time is over, and one that refuses us at once', async () => {
  await using test = await createTestDatabase();
  const { listener, port } = await recoveringServer(test, Number.POSITIVE_INFINITY);
  const { wait, messages, clock } = waiting(10_000);
  const url = urlOf(test, port);
  await expect(openDatabase({ kind: 'external', url }, { wait })).rejects.toMatchObject({ code: 'unreachable' });
  expect(clock.passed).toBe(10_000);
  expect(messages).toHaveLength(1);
  listener.close();
  const { listener: other, port: open } = await recoveringServer(test, 0);
  const wrong = urlOf(test, open).replace(/[^/]*$/, 'no-such-database');
  await expect(openDatabase({ kind: 'external', url: wrong }, { wait })).rejects.toMatchObject({
    code: 'access-denied',
  });
  expect(messages).toHaveLength(1);
  other.close();
});

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
