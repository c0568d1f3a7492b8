import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import {
  FAST_SETTINGS,
  isRunning,
  type TemporaryDirectory,
  temporaryDirectory,
  withClient,
} from '../../testing/index.ts';
import { ServerDirectory } from '../directory/server-directory.ts';
import type { EmbeddedEvent } from '../embedded-event.ts';
import { EmbeddedPostgres } from '../embedded-postgres.ts';
import { prepareInstallation } from '../installation/installation.ts';
import { serverIdentity } from './run-tool.ts';
import { ServerProcess } from './server-process.ts';
import { serverArguments } from './settings.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let temporary: TemporaryDirectory;
/** The tests use one directory, one after the other: each must leave it as good as it was. */
let path: string;

beforeAll(async () => {
  temporary = await temporaryDirectory();
  path = temporary.path;
  await (await EmbeddedPostgres.start({ directory: path, settings: FAST_SETTINGS })).stop();
});

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

/** A server on the directory that no live process owns by the directory's lock. */
async function startUnowned(changeArguments: (args: string[]) => string[]): Promise<ServerProcess> {
  await using directory = await ServerDirectory.open(path);
  const { account, data, software } = directory;
  const { postgres, env } = await prepareInstallation({ account, softwareDirectory: software });
  const args = changeArguments(serverArguments(data, directory.socketDirectory, FAST_SETTINGS));
  return ServerProcess.start({ postgres, args, env, account, onLog: () => {} });
}

test('[DB-EMB9] a server of ours without an owner is stopped, and the start goes on', async () => {
  const leftover = await startUnowned((args) => args);
  const events: EmbeddedEvent[] = [];
  await using server = await EmbeddedPostgres.start({
    directory: path,
    settings: FAST_SETTINGS,
    onEvent: (event) => events.push(event),
  });
  expect(await isRunning(leftover.pid)).toBe(false);
  expect(events).toContainEqual({ type: 'leftover-stopped', pid: leftover.pid });
  await withClient(server.connection, (client) => client.query('SELECT 1'));
});

test('[DB-EMB9] a server that somebody else started is left alone', async () => {
  const foreign = await startUnowned((args) => args.map((arg) => arg.replace('seaplane.', 'other.')));
  try {
    await expect(EmbeddedPostgres.start({ directory: path })).rejects.toThrow(
      `A PostgreSQL server that Seaplane did not start (process ${foreign.pid}) is running on ${join(path, 'data')}. Stop it first, or use another directory.`,
    );
    expect(await isRunning(foreign.pid)).toBe(true);
  } finally {
    await foreign.stop();
  }
});

test.for(['a dead process', 'another live process', 'this very process'] as const)(
  '[DB-EMB10] a postmaster.pid that names %s does not hinder a start',
  async (whose) => {
    await using directory = await ServerDirectory.open(path);
    const sleeper = spawn('sleep', ['1000'], serverIdentity(directory.account)); // as the server's user: PostgreSQL counts only its own
    await once(sleeper, 'spawn');
    await directory[Symbol.asyncDispose]();
    if (whose === 'a dead process') {
      sleeper.kill('SIGKILL');
      await once(sleeper, 'exit');
    }
    const pid = whose === 'this very process' ? process.pid : sleeper.pid;
    const file = join(path, 'data', 'postmaster.pid');
    await writeFile(file, `${pid}\n${join(path, 'data')}\n1700000000\n5432\n\n\n`);
    try {
      await using server = await EmbeddedPostgres.start({ directory: path, settings: FAST_SETTINGS });
      expect(await readFile(file, 'utf8')).toMatch(new RegExp(`^${server.pid}\n`));
      if (whose === 'another live process') expect(await isRunning(sleeper.pid ?? 0)).toBe(true);
    } finally {
      sleeper.kill('SIGKILL');
    }
  },
);

test('[DB-EMB11] a server that does not react is stopped by force, and its data recovers', async () => {
  const server = await startUnowned((args) => args);
  await server.stop();
  await using directory = await ServerDirectory.open(path);
  const { account, data, software } = directory;
  const { postgres, env } = await prepareInstallation({ account, softwareDirectory: software });
  const stuck = await ServerProcess.start({
    postgres,
    args: serverArguments(data, directory.socketDirectory, FAST_SETTINGS),
    env,
    account,
    onLog: () => {},
    stopSteps: [
      { signal: 'SIGINT', waitMs: 20 },
      { signal: 'SIGQUIT', waitMs: 20 },
      { signal: 'SIGKILL', waitMs: 10_000 },
    ],
  });
  process.kill(stuck.pid, 'SIGSTOP');
  await stuck.stop();
  expect(await stuck.exited).toBe('was ended by SIGKILL');
  await directory[Symbol.asyncDispose]();
  await using again = await EmbeddedPostgres.start({ directory: path, settings: FAST_SETTINGS });
  await withClient(again.connection, (client) => client.query('SELECT 1'));
});
