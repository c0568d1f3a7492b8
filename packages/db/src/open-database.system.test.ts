import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { EmbeddedEvent } from './embedded/embedded-event.ts';
import { EmbeddedPostgres } from './embedded/embedded-postgres.ts';
import { DbError, openDatabase } from './index.ts';
import {
  createTestDatabase,
  FAST_SETTINGS,
  type TemporaryDirectory,
  temporaryDirectory,
  withClient,
} from './testing/index.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** A server as a user may have it: on TCP, with passwords, and databases we cannot use. */
let temporary: TemporaryDirectory;
let server: EmbeddedPostgres;

beforeAll(async () => {
  temporary = await temporaryDirectory();
  server = await EmbeddedPostgres.start({ directory: temporary.path, settings: FAST_SETTINGS });
  await withClient(server.connection, async (client) => {
    await client.query("CREATE ROLE app LOGIN PASSWORD 'p@ss:word'");
    await client.query('CREATE DATABASE app OWNER app');
    await client.query('CREATE DATABASE others');
    await client.query('REVOKE ALL ON SCHEMA public FROM PUBLIC');
    await client.query("CREATE DATABASE latin OWNER app ENCODING 'LATIN1' TEMPLATE template0");
  });
  const rules = join(temporary.path, 'data', 'pg_hba.conf');
  const text = await readFile(rules, 'utf8');
  await writeFile(rules, `local all app scram-sha-256\n${text}`);
  await withClient(server.connection, (client) => client.query('SELECT pg_reload_conf()'));
});

afterAll(async () => {
  await server.stop();
  await temporary[Symbol.asyncDispose]();
});

function url(database: string, password = 'p%40ss%3Aword', user = 'app'): string {
  return `postgresql://${user}:${password}@/${database}?host=${encodeURIComponent(server.connection.host)}`;
}

/** Opens what must not open, and returns the error. */
async function failure(databaseUrl: string): Promise<DbError> {
  const error: unknown = await openDatabase({ kind: 'external', url: databaseUrl }, { connectTimeoutMs: 500 }).then(
    async (database) => {
      await database.close();
      return undefined;
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof DbError)) throw new Error(`expected a DbError, not ${error}`);
  expect(`${error.message}${error.stack}`).not.toMatch(/p@ss|p%40ss|wrong-secret/);
  return error;
}

async function listen(
  onConnection: (socket: import('node:net').Socket) => void,
): Promise<{ server: Server; port: number }> {
  const listener = createServer(onConnection);
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server: listener, port: address.port };
}

test('[DB-OPEN1] the embedded and an external database look the same, and each keeps its own id', async () => {
  await using directory = await temporaryDirectory();
  await using external = await openDatabase({ kind: 'external', url: url('app') });
  await using embedded = await openDatabase({ kind: 'embedded', directory: directory.path });
  for (const database of [external, embedded]) {
    expect(database.instance.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await database.health()).toEqual({ status: 'ok', version: server.version });
  }
  expect([external.kind, embedded.kind]).toEqual(['external', 'embedded']);
  expect(external.instance.id).not.toBe(embedded.instance.id);
  await using again = await openDatabase({ kind: 'external', url: url('app') });
  expect(again.instance).toEqual(external.instance);
});

test('[DB-OPEN2] a text that is not a PostgreSQL URL is refused and not repeated', async () => {
  for (const text of ['mysql://u:wrong-secret@h/d', 'wrong-secret', 'postgresql://u:wrong-secret@h:port/d']) {
    const error = await failure(text);
    expect(error.code).toBe('url-invalid');
    expect(error.message).toContain('Expected postgresql://user:password@host:5432/database.');
  }
});

test('[DB-OPEN2] nothing listens there', async () => {
  const { server: listener, port } = await listen(() => {});
  await new Promise((resolve) => listener.close(resolve));
  const error = await failure(`postgresql://app:wrong-secret@127.0.0.1:${port}/app`);
  expect(error.code).toBe('unreachable');
  expect(error.message).toContain(
    `Cannot reach PostgreSQL at 127.0.0.1:${port} (from DATABASE_URL): connect ECONNREFUSED`,
  );
  expect(error.message).toContain('Is the server running there, and does it listen on that address?');
});

test('[DB-OPEN2] something listens there and says nothing', async () => {
  const { server: listener, port } = await listen(() => {});
  try {
    const error = await failure(`postgresql://app:wrong-secret@127.0.0.1:${port}/app`);
    expect(error.code).toBe('unreachable');
    expect(error.message).toContain('Nothing answered in time: is it a PostgreSQL server');
  } finally {
    listener.close();
  }
});

test('[DB-OPEN2] the server that listens there is not PostgreSQL', async () => {
  const { server: listener, port } = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  try {
    expect((await failure(`postgresql://app:wrong-secret@127.0.0.1:${port}/app`)).code).toBe('unreachable');
  } finally {
    listener.close();
  }
});

test('[DB-OPEN2] a host name that does not exist', async () => {
  const error = await failure('postgresql://app:wrong-secret@no-such-host.invalid/app');
  expect(error.code).toBe('unreachable');
  expect(error.message).toContain('no-such-host.invalid:5432');
  expect(error.message).toContain('Is the host name right, and does it resolve on this machine?');
});

test.for([
  {
    what: 'a wrong password',
    database: 'app',
    password: 'wrong-secret',
    user: 'app',
    check: 'Check the user (app) and password',
  },
  {
    what: 'an unknown user',
    database: 'app',
    password: 'wrong-secret',
    user: 'stranger',
    check: 'Check the user (stranger)',
  },
  {
    what: 'an unknown database',
    database: 'nowhere',
    password: 'p%40ss%3Aword',
    user: 'app',
    check: 'correct the database name (nowhere)',
  },
])('[DB-OPEN2] $what', async ({ database, password, user, check }) => {
  const error = await failure(url(database, password, user));
  expect(error.code).toBe('access-denied');
  expect(error.message).toContain(`PostgreSQL at the socket in ${server.connection.host} refused us`);
  expect(error.message).toContain(check);
});

test('[DB-OPEN2] a user who may not create tables', async () => {
  const error = await failure(url('others'));
  expect(error.code).toBe('access-denied');
  expect(error.message).toContain('The user app must own the database others, or be allowed to create in it.');
});

test('[DB-OPEN3] a database with another encoding is refused', async () => {
  const error = await failure(url('latin'));
  expect(error.code).toBe('server-unsuitable');
  expect(error.message).toContain("the database's encoding is LATIN1, and UTF8 is needed");
});

test('[DB-OPEN4] health answers while all other connections are busy', async () => {
  await using test = await createTestDatabase();
  const { host, database: name, user } = test.connection;
  await using database = await openDatabase({
    kind: 'external',
    url: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`,
  });
  const clients = await Promise.all(
    [database.pool, database.backgroundPool, database.collectionPool].flatMap((pool) =>
      Array.from({ length: pool.options.max }, () => pool.connect()),
    ),
  );
  expect(await database.health()).toEqual({ status: 'ok', version: server.version });
  for (const client of clients) client.release();
});

test('[DB-OPEN4] a server that does not answer is failing after the time limit, and ok when it answers again', async () => {
  await using test = await createTestDatabase();
  const { host, database: name, user } = test.connection;
  const config = { kind: 'external', url: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}` } as const;
  await using database = await openDatabase(config, { healthTimeoutMs: 300 });
  const locker = await test.pool.connect();
  await locker.query('BEGIN; LOCK TABLE instance IN ACCESS EXCLUSIVE MODE');
  expect(await database.health()).toEqual({
    status: 'failing',
    version: server.version,
    error: 'the server did not answer in time',
  });
  await locker.query('ROLLBACK');
  locker.release();
  expect(await database.health()).toMatchObject({ status: 'ok' });
});

test('[DB-OPEN5] the death of the server breaks connections in use and idle, and nothing else', async () => {
  await using directory = await temporaryDirectory();
  let pid = 0;
  let failed = Promise.withResolvers<void>();
  let ready = Promise.withResolvers<void>();
  const onEvent = (event: EmbeddedEvent) => {
    if (event.type === 'restart-failed') failed.resolve();
    if (event.type !== 'ready') return;
    pid = event.pid;
    ready.resolve();
  };
  await using database = await openDatabase({ kind: 'embedded', directory: directory.path }, { onEvent });
  await database.health(); // leaves an idle connection
  const inUse = await database.pool.connect();

  const settings = join(directory.path, 'data', 'postgresql.conf');
  await rename(settings, `${settings}.away`); // it cannot come back without
  failed = Promise.withResolvers<void>();
  process.kill(pid, 'SIGKILL');
  await expect(inUse.query('SELECT pg_sleep(60)')).rejects.toThrow();
  inUse.release(true);
  await failed.promise;
  expect(await database.health()).toEqual({
    status: 'failing',
    version: server.version,
    error: 'the embedded server stopped and is being started again',
  });

  ready = Promise.withResolvers<void>();
  await rename(`${settings}.away`, settings);
  await ready.promise;
  expect(await database.health()).toEqual({ status: 'ok', version: server.version });
  const { rows } = await database.pool.query('SELECT id FROM instance');
  expect(rows).toEqual([{ id: database.instance.id }]);
});

test('[DB-OPEN2] a server that goes away while it is opened does not hang the opening', async () => {
  const { server: listener, port } = await listen((socket) => socket.destroy());
  try {
    expect((await failure(`postgresql://app:wrong-secret@127.0.0.1:${port}/app`)).code).toBe('unreachable');
  } finally {
    listener.close();
  }
});

test('[DB-OPEN7] a server that was killed is waited for until it has recovered', async () => {
  await using directory = await temporaryDirectory();
  await using mortal = await EmbeddedPostgres.start({ directory: directory.path, settings: FAST_SETTINGS });
  await using before = await openDatabase({ kind: 'external', url: mortal.url });
  const messages: string[] = [];
  const clock = { elapsedMs: () => performance.now(), sleep: (ms: number) => sleep(ms) };
  const wait = { clock, patienceMs: 30_000, onWait: (message: string) => void messages.push(message) };
  process.kill(mortal.pid, 'SIGKILL');
  await expect.poll(() => mortal.status).toBe('restarting');
  await using database = await openDatabase({ kind: 'external', url: mortal.url }, { wait });
  expect(database.instance).toEqual(before.instance);
  expect(messages[0]).toContain('Waiting for it');
});
