import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRunning, type TemporaryDirectory, temporaryDirectory, untilEnded } from '@seaplane/db/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { ApiUser } from './testing/api-user.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url));

let temporary: TemporaryDirectory;
/** The tests use one data directory, one after the other. */
let dataDir: string;

beforeAll(async () => {
  temporary = await temporaryDirectory();
  dataDir = join(temporary.path, 'data');
});

afterAll(async () => {
  await temporary[Symbol.asyncDispose]();
});

/** Whether web logs this depends on what was built before the test. */
const NOT_BUILT = 'the browser application is not built';

interface LogRecord {
  readonly level: string;
  readonly msg: string;
}

/** The real program, as its own process. */
function startWeb(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { DATABASE_URL: _url, ...inherited } = process.env;
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...inherited, SEAPLANE_LOCAL_WORKER: 'false', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let stdout = '';
  const waiting = new Set<() => void>();
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    for (const wake of waiting) wake();
  });
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  const ended = once(child, 'close').then(([code, signal]) => {
    for (const wake of waiting) wake();
    return (signal ?? code) as number | NodeJS.Signals;
  });
  const messages = () =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as LogRecord);
  /** Resolves with what follows `start` in the log once a message begins with it. */
  const message = async (start: string): Promise<string> => {
    for (;;) {
      const found = messages().find(({ msg }) => msg.startsWith(start));
      if (found) return found.msg.slice(start.length);
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`ended without "${start}":\n${output}`);
      await new Promise<void>((resolve) => waiting.add(resolve));
    }
  };
  return { child, ended, message, messages, output: () => output, stdout: () => stdout };
}

async function serverPid(): Promise<number> {
  return JSON.parse(await readFile(join(dataDir, 'postgres', 'owner.json'), 'utf8')).serverPid;
}

async function clusterId(url: string): Promise<string | undefined> {
  return /<code>([0-9a-f-]{36})<\/code>/.exec(await (await fetch(`${url}/health-page`)).text())?.[1];
}

/** Sends a wrong password from an address of this machine, and returns the status of the answer. */
async function failToLogIn(url: string, localAddress: string): Promise<number | undefined> {
  const headers = {
    Authorization: `Basic ${btoa('fly:Zmx5')}`,
    'Content-Type': 'application/x-www-form-urlencoded',
    'X-Forwarded-For': randomUUID(),
  };
  const { port } = new URL(url);
  const options = { host: '127.0.0.1', port, path: '/sky/issuer/token', method: 'POST', headers, localAddress };
  const sent = request(options).end('grant_type=password&username=ada&password=wrong&scope=openid');
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

test('[WEB3] [WEB4] web starts from nothing, serves, and stops cleanly at the first signal', async () => {
  const web = startWeb(['--port', '0', '--data-dir', dataDir]);
  const url = await web.message('ready: ');
  const pid = await serverPid();
  expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok', database: { kind: 'embedded' } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) web.child.kill(signal);
  expect(await web.ended).toBe(0);
  expect(await isRunning(pid)).toBe(false);
  const stages = web.messages().filter(({ msg }) => !msg.startsWith(NOT_BUILT));
  expect(stages.map(({ msg }) => msg.replace(/\d[\d.]*/g, 'N'))).toEqual([
    'Seaplane N',
    `starting embedded PostgreSQL in ${join(dataDir, 'postgres')} ...`.replace(/\d[\d.]*/g, 'N'),
    'first start: making a new database ...',
    'PostgreSQL N is ready (process N)',
    'there is no worker to run steps on, so every check and step will error (see --kubeconfig and --targets in --help)',
    'ready: http://localhost:N',
    expect.stringMatching(/^log in with: fly -t dev login -c http:\/\/localhost:N -u admin -p /),
    expect.stringMatching(/^stopping \(SIG(INT|TERM)\) \.\.\.$/),
    'stopped',
  ]);
});

test('[WEB4] a signal during the start stops the start', async () => {
  const fresh = join(temporary.path, 'fresh');
  const web = startWeb(['--port', '0', '--data-dir', fresh]);
  await web.message('first start');
  web.child.kill('SIGTERM');
  expect(await web.ended).toBe(0);
  expect(web.messages().at(-1)?.msg).toBe('stopped before it was ready');
});

test('[WEB4] web ends also if its database does not, which then ends by itself', async () => {
  const web = startWeb(['--port', '0', '--data-dir', dataDir]);
  await web.message('ready: ');
  const pid = await serverPid();
  process.kill(pid, 'SIGSTOP');
  web.child.kill('SIGINT');
  expect(await web.ended).toBe(0);
  expect(web.messages().at(-1)?.msg).toBe(
    'stopped after 4.5 s without waiting any longer; what is left ends by itself',
  );
  process.kill(pid, 'SIGCONT');
  await untilEnded(pid);
});

test('[WEB22] a kubeconfig that is not there ends web with one line', async () => {
  const web = startWeb(['--port', '0', '--data-dir', dataDir, '--kubeconfig', '/no/such/file']);
  expect(await web.ended).toBe(1);
  expect(web.messages().at(-1)).toMatchObject({
    level: 'fatal',
    msg: expect.stringMatching(/^The kubeconfig \/no\/such\/file cannot be read: ENOENT/),
  });
});

test('[WEB5] a port in use: the message, exit status 1, and no database left', async () => {
  const blocker = createServer().listen(0, '127.0.0.1');
  await once(blocker, 'listening');
  const address = blocker.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    const web = startWeb(['--port', String(port), '--data-dir', dataDir]);
    const pid = Number(/process (\d+)/.exec(await web.message('PostgreSQL'))?.[1]);
    expect(await web.ended).toBe(1);
    expect(web.messages().at(-1)).toMatchObject({
      level: 'fatal',
      msg: `Port ${port} on 127.0.0.1 is in use by another program. Choose another with --port PORT or SEAPLANE_PORT.`,
    });
    expect(await isRunning(pid)).toBe(false);
  } finally {
    blocker.close();
  }
});

test('[WEB6] after SIGKILL the next start on the same data works, as the same cluster', async () => {
  const first = startWeb(['--port', '0', '--data-dir', dataDir]);
  const id = await clusterId(await first.message('ready: '));
  const pid = await serverPid();
  first.child.kill('SIGKILL');
  expect(await first.ended).toBe('SIGKILL');

  const second = startWeb(['--port', '0', '--data-dir', dataDir]);
  expect(await clusterId(await second.message('ready: '))).toBe(id);
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  await untilEnded(pid);
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('[HEALTH1] health fails while the database is dead, and recovers with it', async () => {
  const web = startWeb(['--port', '0', '--data-dir', dataDir]);
  const url = await web.message('ready: ');
  const settings = join(dataDir, 'postgres', 'data', 'postgresql.conf');
  await rename(settings, `${settings}.away`); // PostgreSQL cannot start without it
  process.kill(await serverPid(), 'SIGKILL');
  await web.message('PostgreSQL is not back');
  const dead = await fetch(`${url}/health`);
  expect(dead.status).toBe(503);
  expect(await dead.json()).toMatchObject({
    status: 'failing',
    database: { status: 'failing', kind: 'embedded', error: 'the embedded server stopped and is being started again' },
  });
  await rename(`${settings}.away`, settings);
  let again = dead;
  while (again.status === 503) again = await fetch(`${url}/health`);
  expect(await again.json()).toMatchObject({ status: 'ok', database: { status: 'ok' } });
  web.child.kill('SIGTERM');
  expect(await web.ended).toBe(0);
});

test('[CMP8] the API lists the loops of web with their last run, and a pause outlives web', async () => {
  const users = { SEAPLANE_LOCAL_USERS: 'test:test' };
  const first = startWeb(['--port', '0', '--data-dir', dataDir], users);
  const user = await ApiUser.login(await first.message('ready: '));
  const neverRan = async () => (await user.components()).filter(({ last_ran }) => last_ran.startsWith('0001'));
  await expect.poll(neverRan, { timeout: 20_000 }).toEqual([]);
  await user.pauseComponent('scanner');
  first.child.kill('SIGTERM');
  await first.ended;

  const second = startWeb(['--port', '0', '--data-dir', dataDir], users);
  const again = await ApiUser.login(await second.message('ready: '));
  expect((await again.components()).map(({ name, paused }) => `${name} ${paused}`)).toEqual([
    'collector false',
    'collector_workers false',
    'pipeline_pauser false',
    'reaper false',
    'scanner true',
    'scheduler false',
    'signing_key_lifecycler false',
    'tracker false',
  ]);
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
});

test('[WEB7] a second web on the same data reports which process uses it and how to choose another directory', async () => {
  const first = startWeb(['--port', '0', '--data-dir', dataDir]);
  await first.message('ready: ');
  const second = startWeb(['--port', '0', '--data-dir', dataDir]);
  expect(await second.ended).toBe(1);
  const last = second.messages().at(-1);
  expect(last).toMatchObject({ level: 'fatal' });
  expect(last?.msg).toContain(`${join(dataDir, 'postgres')} is in use by process ${first.child.pid}`);
  expect(last?.msg).toContain('--data-dir');
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);
});

test('[WEB7] an external server that does not answer is reported in words, without stack and password', async () => {
  const web = startWeb(['--port', '0', '--database-wait', '1s'], {
    DATABASE_URL: 'postgresql://u:hunter2@127.0.0.1:1/ci',
  });
  expect(await web.ended).toBe(1);
  const waits = web.messages().filter(({ msg }) => msg.includes('Waiting for it, 1 s at most'));
  expect(waits).toHaveLength(1);
  expect(web.messages().at(-1)?.msg).toContain('Cannot reach PostgreSQL at 127.0.0.1:1 (from DATABASE_URL)');
  expect(web.output()).not.toMatch(/hunter2|\.ts:\d+/);
});

test('[WEB9] web does not start with an empty admin-password, and logs one line that says what to do', async () => {
  await using torn = await temporaryDirectory();
  const file = join(torn.path, 'admin-password');
  await writeFile(file, '');
  const web = startWeb(['--port', '0', '--data-dir', torn.path]);
  expect(await web.ended).toBe(1);
  expect(web.messages().at(-1)).toMatchObject({
    level: 'fatal',
    msg: expect.stringContaining(`${file} does not hold`),
  });
  expect(web.output()).not.toMatch(/\.ts:\d+/);
});

test('[HTTP5] failed logins are limited by the address of the connection, and web goes on', async () => {
  const hash = '$2b$04$bkZPspaDXG.KeX5TkJPB8O1fJrlu59RYmjJPVMFZfKj1mL.GzmIV.';
  const web = startWeb(['--port', '0', '--data-dir', dataDir], { SEAPLANE_LOCAL_USERS: `ada:${hash}` });
  const url = await web.message('ready: ');
  const statuses: (number | undefined)[] = [];
  for (let i = 0; i < 11; i += 1) statuses.push(await failToLogIn(url, '127.0.0.1'));
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 401), 429]);
  expect(await failToLogIn(url, '127.0.0.2')).toBe(401);
  web.child.kill('SIGTERM');
  expect(await web.ended).toBe(0);
});

test('[WEB1] a mistake in the flags ends with status 2, help with 0', async () => {
  const mistake = startWeb(['--prot', '9']);
  expect(await mistake.ended).toBe(2);
  expect(mistake.output()).toBe('seaplane: unknown flag --prot\nRun with --help to see the flags.\n');
  const help = startWeb(['--help']);
  expect(await help.ended).toBe(0);
  expect(help.stdout()).toContain('Usage: npm start -- [flags]');
  expect(help.output()).toBe('');
});
