import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  FAST_SETTINGS,
  isRunning,
  type TemporaryDirectory,
  temporaryDirectory,
  untilEnded,
  withClient,
} from '../testing/index.ts';
import type { EmbeddedEvent } from './embedded-event.ts';
import { type EmbeddedConnection, EmbeddedPostgres } from './embedded-postgres.ts';
import { onLines } from './server/server-log.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let temporary: TemporaryDirectory;
/** The tests use one directory, one after the other: each must leave it as good as it was. */
let directory: string;

beforeAll(async () => {
  temporary = await temporaryDirectory();
  directory = temporary.path;
  await (await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS })).stop();
});

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

/** Events, and waiting for one. */
function eventLog() {
  const seen: EmbeddedEvent[] = [];
  let wake = () => {};
  return {
    seen,
    onEvent(event: EmbeddedEvent) {
      if (event.type !== 'log') seen.push(event);
      wake();
    },
    async waitFor(type: EmbeddedEvent['type'], count = 1): Promise<void> {
      while (seen.filter((event) => event.type === type).length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

/** Inserts numbers one by one until the connection breaks; returns the last one whose commit was acknowledged. */
async function writeUntilBroken(connection: EmbeddedConnection, onFirst: () => void): Promise<number> {
  const client = new pg.Client(connection);
  client.on('error', () => {});
  await client.connect();
  let acknowledged = 0;
  try {
    for (;;) {
      await client.query('INSERT INTO written VALUES ($1)', [acknowledged + 1]);
      acknowledged += 1;
      if (acknowledged === 50) onFirst();
    }
  } catch {
    return acknowledged;
  } finally {
    await client.end().catch(() => {});
  }
}

async function countWritten(connection: EmbeddedConnection): Promise<number> {
  const { rows } = await withClient(connection, (client) => client.query('SELECT count(*)::int AS count FROM written'));
  return rows[0].count;
}

const INDEX = new URL('./embedded-postgres.ts', import.meta.url).href;

interface Owner {
  readonly process: ChildProcess;
  readonly serverPid: number;
  readonly connection: EmbeddedConnection;
}

/** Another process that starts a server on `directory` and holds it until it is killed. */
async function startOwner(directory: string): Promise<Owner> {
  const program = `
    const { EmbeddedPostgres } = await import(${JSON.stringify(INDEX)});
    const server = await EmbeddedPostgres.start({ directory: ${JSON.stringify(directory)}, settings: { fsync: 'off' } });
    console.log(JSON.stringify({ serverPid: server.pid, connection: server.connection }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line = await new Promise<string>((resolve, reject) => {
    onLines(child.stdout, resolve);
    child.on('exit', () => reject(new Error('the owner ended before its server was ready')));
  });
  return { process: child, ...JSON.parse(line) };
}

test('[DB-EMB7] a server that dies while it is written to comes back with every acknowledged row', async () => {
  const events = eventLog();
  await using server = await EmbeddedPostgres.start({ directory, onEvent: events.onEvent });
  await withClient(server.connection, (client) =>
    client.query('DROP TABLE IF EXISTS written; CREATE TABLE written (n int)'),
  );
  const firstPid = server.pid;
  const writing = writeUntilBroken(server.connection, () => process.kill(firstPid, 'SIGKILL'));
  await events.waitFor('ready', 2);
  const acknowledged = await writing;

  expect(server.status).toBe('running');
  expect(server.pid).not.toBe(firstPid);
  // The last insert may have been committed with its answer lost.
  const count = await countWritten(server.connection);
  expect([acknowledged, acknowledged + 1]).toContain(count);
  expect(events.seen.slice(1)).toEqual([
    { type: 'died', how: 'was ended by SIGKILL', retryMs: 100 },
    { type: 'ready', pid: server.pid, version: server.version },
  ]);
});

test('[DB-EMB7] restarts go on until what is in the way is gone', async () => {
  const events = eventLog();
  await using server = await EmbeddedPostgres.start({
    directory,
    settings: FAST_SETTINGS,
    onEvent: events.onEvent,
  });
  const config = join(directory, 'data', 'postgresql.conf');
  await rename(config, `${config}.away`);
  process.kill(server.pid, 'SIGKILL');
  await events.waitFor('restart-failed', 2);
  expect(server.status).toBe('restarting');
  await rename(`${config}.away`, config);
  await events.waitFor('ready', 2);
  await withClient(server.connection, (client) => client.query('SELECT 1'));
});

test('[DB-EMB11] stop ends the attempts to restart', async () => {
  const events = eventLog();
  const server = await EmbeddedPostgres.start({
    directory,
    settings: FAST_SETTINGS,
    onEvent: events.onEvent,
  });
  const data = join(directory, 'data');
  await rename(join(data, 'postgresql.conf'), join(data, 'postgresql.conf.away'));
  process.kill(server.pid, 'SIGKILL');
  await events.waitFor('restart-failed');
  await server.stop();
  expect(server.status).toBe('stopped');
  await rename(join(data, 'postgresql.conf.away'), join(data, 'postgresql.conf'));
  await using again = await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
  expect(again.status).toBe('running');
});

test('[DB-EMB8] the server of an owner that is killed stops, and the next start has every acknowledged row', async () => {
  const owner = await startOwner(directory);
  await withClient(owner.connection, (client) =>
    client.query('DROP TABLE IF EXISTS written; CREATE TABLE written (n int)'),
  );
  const writing = writeUntilBroken(owner.connection, () => owner.process.kill('SIGKILL'));
  await once(owner.process, 'exit');
  await untilEnded(owner.serverPid); // by itself: nobody has asked for the directory yet
  const acknowledged = await writing;
  await using next = await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
  expect([acknowledged, acknowledged + 1]).toContain(await countWritten(next.connection));
});

test('[DB-EMB8] the next start need not wait until the server of a killed owner has stopped', async () => {
  const owner = await startOwner(directory);
  owner.process.kill('SIGKILL');
  await once(owner.process, 'exit');
  await using next = await EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
  await withClient(next.connection, (client) => client.query('SELECT 1'));
  expect(await isRunning(owner.serverPid)).toBe(false);
});

test('[DB-EMB6] a directory that another process owns is in use, until that process is gone', async () => {
  const owner = await startOwner(directory);
  const start = () => EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS });
  await expect(start()).rejects.toThrow(
    `is in use by process ${owner.process.pid} (its PostgreSQL is process ${owner.serverPid})`,
  );
  await withClient(owner.connection, (client) => client.query('SELECT 1'));
  owner.process.kill('SIGKILL');
  await once(owner.process, 'exit');
  await using server = await start();
  expect(server.status).toBe('running');
});
