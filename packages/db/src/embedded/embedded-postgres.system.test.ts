import { access, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FAST_SETTINGS, isRunning, type TemporaryDirectory, temporaryDirectory, withClient } from '../testing/index.ts';
import { DirectoryLock } from './directory/directory-lock.ts';
import type { EmbeddedEvent } from './embedded-event.ts';
import { EmbeddedPostgres } from './embedded-postgres.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

function start(directory: string, more: Partial<Parameters<typeof EmbeddedPostgres.start>[0]> = {}) {
  return EmbeddedPostgres.start({ directory, settings: FAST_SETTINGS, ...more });
}

/** Made by the first test, and left with a stopped server by each that uses it. */
let temporary: TemporaryDirectory;
let directory: string;

beforeAll(async () => {
  temporary = await temporaryDirectory();
  directory = join(temporary.path, 'new', 'directory');
});

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

test('[DB-EMB1] the first start makes a UTF-8 database in the C locale and is ready', async () => {
  const events: string[] = [];
  await using server = await start(directory, {
    onEvent: ({ type }) => events.push(type),
  });

  const { rows } = await withClient(server.connection, (client) =>
    client.query(
      'SELECT current_database() AS name, pg_encoding_to_char(encoding) AS encoding, datcollate FROM pg_database WHERE datname = current_database()',
    ),
  );
  expect(rows).toEqual([{ name: 'seaplane', encoding: 'UTF8', datcollate: 'C' }]);
  expect(events.filter((type) => type !== 'log')).toEqual(['initializing', 'ready']);
  expect(server.status).toBe('running');
});

test('[DB-EMB2] later starts serve the same data, without recovery, also by the URL', async () => {
  const first = await start(directory);
  await withClient(first.connection, (client) => client.query('CREATE TABLE kept AS SELECT 42 AS answer'));
  await first.stop();
  expect(first.status).toBe('stopped');
  expect(await isRunning(first.pid)).toBe(false);

  const events: EmbeddedEvent[] = [];
  await using second = await start(directory, { onEvent: (event) => events.push(event) });
  const { rows } = await withClient({ connectionString: second.url }, (client) =>
    client.query('SELECT answer FROM kept'),
  );
  expect(rows).toEqual([{ answer: 42 }]);
  expect(events.map(({ type }) => type)).not.toContain('initializing');
  expect(JSON.stringify(events)).toContain('database system was shut down at');
  expect(JSON.stringify(events)).not.toContain('recovery');
});

test('[DB-EMB3] the remains of an interrupted initialization are not taken for a database', async () => {
  await using temporary = await temporaryDirectory();
  await mkdir(join(temporary.path, 'data.new-abc123'));
  await writeFile(join(temporary.path, 'data.new-abc123', 'PG_VERSION'), '18\n');
  await using server = await start(temporary.path);
  await withClient(server.connection, (client) => client.query('SELECT 1'));
  expect((await readdir(temporary.path)).filter((name) => name.startsWith('data'))).toEqual(['data']);
});

test('[DB-EMB3] a start aborted while it makes the database leaves no half-made data and no lock', async () => {
  await using other = await temporaryDirectory();
  const abort = new AbortController();
  const onEvent = ({ type }: EmbeddedEvent) => {
    if (type === 'initializing') setImmediate(() => abort.abort(new Error('enough')));
  };
  await expect(start(other.path, { onEvent, signal: abort.signal })).rejects.toThrow('enough');
  expect((await readdir(other.path)).filter((name) => name.startsWith('data'))).toEqual([]);
  using lock = DirectoryLock.acquire(join(other.path, 'lock'));
  expect(lock).toBeDefined();
});

test('[DB-EMB3] a start aborted while the server starts leaves no server and no lock', async () => {
  const abort = new AbortController();
  const onEvent = (event: EmbeddedEvent) => {
    if (event.type === 'log' && event.message.includes('starting PostgreSQL')) abort.abort(new Error('enough'));
  };
  await expect(start(directory, { onEvent, signal: abort.signal })).rejects.toThrow('enough');
  await expect(access(join(directory, 'data', 'postmaster.pid'))).rejects.toThrow('ENOENT');
  await using again = await start(directory);
  await withClient(again.connection, (client) => client.query('SELECT 1'));
});

test('[DB-EMB4] a directory too long for a socket gets one elsewhere, removed at the stop', async () => {
  await using temporary = await temporaryDirectory();
  const server = await start(join(temporary.path, 'long'.repeat(30)));
  const { host } = server.connection;
  await withClient(server.connection, (client) => client.query('SELECT 1'));
  expect((await stat(host)).mode & 0o777).toBe(0o700);
  await server.stop();
  await expect(access(host)).rejects.toThrow('ENOENT');
});

test('[DB-EMB11] stop ends connections that are still open, and may be called again', async () => {
  const server = await start(directory);
  await withClient(server.connection, async (client) => {
    const broken = new Promise((resolve) => client.on('error', resolve));
    await client.query('BEGIN');
    await Promise.all([server.stop(), server.stop()]);
    await broken;
  });
  await server.stop();
  await server.exited;
  expect(await isRunning(server.pid)).toBe(false);
});

test('[DB-EMB15] two servers run side by side, and start at the same time', async () => {
  await using temporary = await temporaryDirectory();
  const [a, b] = await Promise.all([start(join(temporary.path, 'a')), start(join(temporary.path, 'b'))]);
  await using _a = a;
  await using _b = b;
  await withClient(a.connection, (client) => client.query('CREATE TABLE only_in_a ()'));
  const { rows } = await withClient(b.connection, (client) => client.query("SELECT to_regclass('only_in_a') AS found"));
  expect(rows).toEqual([{ found: null }]);
});
