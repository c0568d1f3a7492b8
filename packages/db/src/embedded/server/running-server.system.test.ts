import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { FAST_SETTINGS, type TemporaryDirectory, temporaryDirectory, withClient } from '../../testing/index.ts';
import { EmbeddedPostgres } from '../embedded-postgres.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let temporary: TemporaryDirectory;
let server: EmbeddedPostgres;

beforeAll(async () => {
  temporary = await temporaryDirectory();
  server = await EmbeddedPostgres.start({ directory: temporary.path, settings: FAST_SETTINGS });
});

afterAll(async () => {
  await server.stop();
  await temporary[Symbol.asyncDispose]();
});

async function queryRows(sql: string): Promise<unknown[]> {
  return withClient(server.connection, async (client) => (await client.query(sql)).rows);
}

test('[DB-EMB4] the server listens on a socket that only its user can reach, and on nothing else', async () => {
  expect(await queryRows('SHOW listen_addresses')).toEqual([{ listen_addresses: '' }]);
  expect(server.connection.host).toBe(join(temporary.path, 'run'));
  const directory = await stat(server.connection.host);
  expect(directory.mode & 0o777).toBe(0o700);
  expect(directory.uid).toBe((await stat(join(temporary.path, 'data'))).uid);
});

test('[DB-EMB5] PostgreSQL does not run as root, and runs as the owner of its data', async () => {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'uid=', '-p', String(server.pid)]);
  expect(Number(stdout)).not.toBe(0);
  expect(Number(stdout)).toBe((await stat(join(temporary.path, 'data'))).uid);
});

test('[DB-EMB6] a second start on a directory in use fails and says whose it is', async () => {
  const second = EmbeddedPostgres.start({ directory: temporary.path });
  await expect(second).rejects.toMatchObject({ code: 'directory-in-use' });
  await expect(second).rejects.toThrow(
    `The database directory ${temporary.path} is in use by process ${process.pid} (its PostgreSQL is process ${server.pid}). Stop that one first, or use another directory.`,
  );
  expect(await queryRows('SELECT 1 AS still')).toEqual([{ still: 1 }]);
});

test('[DB-EMB16] the server does not get our environment', async () => {
  expect(process.env['VITEST']).toBe('true'); // there is something to inherit
  const names = await withClient(server.connection, async (client) => {
    await client.query('CREATE TEMP TABLE environment (entry text)');
    await client.query("COPY environment FROM PROGRAM 'env' (FORMAT csv, DELIMITER E'\\x01')");
    const { rows } = await client.query<{ name: string }>("SELECT split_part(entry, '=', 1) AS name FROM environment");
    return rows.map(({ name }) => name);
  });
  expect(names).toContain('PATH');
  expect(names.filter((name) => !/^(PATH|PWD|OLDPWD|SHLVL|_|LC_\w+|PG\w+)$/.test(name))).toEqual([]); // its shell adds some
});
