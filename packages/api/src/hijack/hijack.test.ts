import { EventEmitter, once } from 'node:events';
import type { HijackInput, HijackOutput, HijackRequest } from '@seaplane/baggageclaim';
import { findSandbox } from '@seaplane/db';
import { markSandboxCreated, recordSandbox } from '@seaplane/db/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { type HijackServer, serveHijack } from '../testing/hijack-server.ts';
import { createTestApi, type TestApi, type TestUser } from '../testing/test-api.ts';
import { runHijack } from './session.ts';

const PATH = '/api/v1/teams/team/containers/own/hijack';
const SPEC = {
  path: 'sh',
  args: ['-c', 'true'],
  env: ['TERM=xterm'],
  dir: '/tmp',
  privileged: true,
  user: 'root',
  tty: null,
};

/** What the sandbox is asked, and what it answers: an echo of its input, then the end that its path asks for. */
let requests: { handle: string; request: HijackRequest }[];
let inputs: HijackInput[];
let ended: boolean;
/** While this is set and pending, the process takes no more input. */
let room: PromiseWithResolvers<void> | undefined;
let signal: AbortSignal;

async function* process({ path }: HijackRequest, stop: AbortSignal): AsyncGenerator<HijackOutput, void, undefined> {
  try {
    if (path === 'bash' || path === 'missing') yield { executable_not_found: true };
    if (path === 'broken') return;
    yield { stdout: btoa('hello') };
    yield { stderr: btoa('oh') };
    if (path === 'cat') await once(stop, 'abort');
    if (path === 'echo') while (!inputs.some((input) => 'closed' in input)) await new Promise(setImmediate);
    if (path === 'wrong') yield { error: 'it went wrong' };
    yield { exit_status: 7 };
    yield { stdout: btoa('never sent') };
  } finally {
    ended = true;
  }
}

let api: TestApi;
let server: HijackServer;
beforeEach(() => {
  [requests, inputs, ended, room] = [[], [], false, undefined];
});
beforeAll(async () => {
  api = await createTestApi({
    sandboxes: {
      async hijack(handle, request, stop) {
        requests.push({ handle, request });
        signal = stop;
        if (request.path === 'unreachable') throw new Error('the container cannot be reached');
        return {
          async send(input) {
            inputs.push(input);
            await room?.promise;
          },
          messages: process(request, stop),
          [Symbol.asyncDispose]: async () => {},
        };
      },
    },
  });
  for (const [handle, team, owner] of [
    ['own', 'team', true],
    ['theirs', 'other', true],
    ['check', 'team', false],
  ] as const) {
    await recordSandbox(api.pool, {
      handle,
      worker: 'w',
      ...(owner && { owner: { buildId: await startedBuild(team), planId: '1' } }),
      labels: { type: owner ? 'task' : 'check', team, step: 's' },
      workingDirectory: '/tmp/build/x',
      user: 'root',
    });
    await markSandboxCreated(api.pool, handle, 'root');
  }
  server = await serveHijack(api);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await api[Symbol.asyncDispose]();
});

async function startedBuild(team: string): Promise<number> {
  const { rows } = await api.pool.query(
    "INSERT INTO build (name, team_id, status) SELECT '1', id, 'started' FROM team WHERE name = $1 RETURNING id",
    [team],
  );
  return rows[0].id;
}

const as = async (user: TestUser) => ({ Authorization: `Bearer ${await api.token(user)}` });
const open = async (path = 'sh') => {
  const client = await server.connect(PATH, await as('member'));
  client.send({ ...SPEC, path });
  return client;
};

test('[API-HIJ1] the process starts as requested, its output is sent, and its exit status ends the connection', async () => {
  const client = await open();
  expect([await client.next(), await client.next(), await client.next()]).toEqual([
    { stdout: btoa('hello') },
    { stderr: btoa('oh') },
    { exit_status: 7 },
  ]);
  expect(await client.closed).toMatchObject({ code: 1000 });
  expect(await client.next()).toBeUndefined();
  const { path, args, env, dir, user } = SPEC;
  expect(requests).toEqual([{ handle: 'own', request: { path, args, env, dir, user, tty: null } }]);
  expect(ended).toBe(true);
});

test('[API-HIJ2] input, its end and the size of the terminal reach the process', async () => {
  const client = await server.connect(PATH, await as('member'));
  client.send({ path: 'echo', args: null, env: null, tty: { window_size: { columns: 80, rows: 24 } } });
  client.send({ stdin: btoa('in') });
  client.send({ tty: { window_size: { columns: 100, rows: 50 } } });
  client.send({});
  client.send({ closed: true });
  for (let i = 0; i < 3; i++) await client.next();
  expect(requests[0]?.request).toMatchObject({ args: [], env: [], dir: '', user: '', tty: { columns: 80, rows: 24 } });
  expect(inputs).toEqual([
    { stdin: btoa('in') },
    { tty: { window_size: { columns: 100, rows: 50 } } },
    { closed: true },
  ]);
});

test('[API-HIJ2] a terminal without a size gets one', async () => {
  const client = await server.connect(PATH, await as('member'));
  client.send({ ...SPEC, tty: { window_size: { columns: 0, rows: 0 } } });
  await client.next();
  expect(requests[0]?.request.tty).toEqual({ columns: 80, rows: 24 });
  await client.closed;
});

test('[API-HIJ3] a missing bash is reported so that fly tries sh', async () => {
  const client = await open('bash');
  expect(await client.next()).toEqual({ executable_not_found: true });
  expect(await client.next()).toEqual({ error: 'executable file not found: bash' });
  await client.closed;
});

test('[API-HIJ3] any other missing program is an error that fly shows', async () => {
  const client = await open('missing');
  expect(await client.next()).toEqual({ executable_not_found: true });
  expect(await client.next()).toEqual({ error: "there is no program 'missing' in this container" });
  await client.closed;
});

test.each([
  ['unreachable', 'the container cannot be reached'],
  ['broken', 'the connection to the container ended before its process did'],
])('[API-HIJ4] an error is sent to the client: %s', async (path, error) => {
  const client = await open(path);
  expect(await client.next()).toEqual({ error });
  await client.closed;
});

test('[API-HIJ4] an error of the process ends the connection', async () => {
  const client = await open('wrong');
  await client.next();
  await client.next();
  expect(await client.next()).toEqual({ error: 'it went wrong' });
  await client.closed;
});

test('[API-HIJ5] a client that leaves ends the process', async () => {
  const known = [...api.failures];
  const client = await open('cat');
  await client.next();
  client.leave();
  if (!signal.aborted) await once(signal, 'abort');
  while (!ended) await new Promise(setImmediate);
  expect(api.failures).toEqual(known);
});

test('[API-HIJ6] pings are answered', async () => {
  const client = await open('cat');
  await client.ping();
  client.leave();
});

test('[API-HIJ7] a hijack marks its sandbox at the start', async () => {
  const { rows } = await api.pool.query('SELECT now() AS now');
  const before = rows[0].now as Date;
  const client = await open('cat');
  await client.next();
  const touched = () => api.pool.query("SELECT FROM sandbox WHERE handle = 'own' AND last_hijacked_at >= $1", [before]);
  await expect.poll(async () => (await touched()).rowCount, { timeout: 4_000 }).toBe(1);
  client.leave();
});

test('[API-HIJ7] a hijack marks its sandbox again and again', async () => {
  const socket = Object.assign(new EventEmitter(), {
    send: (_: string, sent: () => void) => sent(),
    close: () => {},
    ping: () => {},
  }) as unknown as WebSocket;
  const often = Promise.withResolvers<void>();
  let touches = 0;
  const touch = async () => {
    if (++touches === 3) often.resolve();
  };
  const session = runHijack(
    { sandboxes: api.context.sandboxes, touch, touchEveryMs: 1, idleMs: 0, onError: often.reject },
    socket,
    'own',
  );
  socket.emit('message', Buffer.from(JSON.stringify({ ...SPEC, path: 'cat' })), false);
  await often.promise;
  socket.emit('close');
  await session;
  expect(ended).toBe(true);
});

test('[API-HIJ12] input that the process does not take is not read from the client', async () => {
  room = Promise.withResolvers();
  const reading: boolean[] = [];
  const socket = Object.assign(new EventEmitter(), {
    send: (_: string, sent: () => void) => sent(),
    close: () => {},
    pause: () => reading.push(false),
    resume: () => reading.push(true),
  }) as unknown as WebSocket;
  const rest = { touch: async () => {}, touchEveryMs: 60_000, idleMs: 0, onError: () => {} };
  const session = runHijack({ sandboxes: api.context.sandboxes, ...rest }, socket, 'own');
  const type = (message: object) => socket.emit('message', Buffer.from(JSON.stringify(message)), false);
  type({ ...SPEC, path: 'echo' });
  for (let i = 0; i < 20; i++) type({ stdin: btoa(String(i)) });
  type({ closed: true });
  while (inputs.length === 0) await new Promise(setImmediate);
  expect(inputs).toEqual([{ stdin: btoa('0') }]);
  expect(reading.at(-1)).toBe(false);
  room.resolve();
  await session;
  expect(inputs).toEqual([...Array.from({ length: 20 }, (_, i) => ({ stdin: btoa(String(i)) })), { closed: true }]);
  expect(reading.at(-1)).toBe(true);
});

test('[API-HIJ5] a client that leaves while its input waits is noticed', async () => {
  room = Promise.withResolvers();
  const socket = Object.assign(new EventEmitter(), {
    send: (_: string, sent: () => void) => sent(),
    close: () => {},
    pause: () => {},
    ping: () => socket.emit('close'), // a write to a peer that has gone breaks the connection
  }) as unknown as WebSocket;
  const rest = { touch: async () => {}, touchEveryMs: 1, idleMs: 0, onError: () => {} };
  const session = runHijack({ sandboxes: api.context.sandboxes, ...rest }, socket, 'own');
  socket.emit('message', Buffer.from(JSON.stringify({ ...SPEC, path: 'cat' })), false);
  for (let i = 0; i < 20; i++) socket.emit('message', Buffer.from(JSON.stringify({ stdin: btoa('x') })), false);
  await session;
  expect(signal.aborted).toBe(true);
  room.resolve();
});

test('[API-HIJ11] nothing is started while it is not recorded that somebody enters', async () => {
  const sent: string[] = [];
  const socket = Object.assign(new EventEmitter(), {
    send: (text: string, done: () => void) => {
      sent.push(text);
      done();
    },
    close: () => {},
    ping: () => {},
  }) as unknown as WebSocket;
  const touch = () => Promise.reject(new Error('the database is away'));
  const errors: unknown[] = [];
  const onError = (error: unknown) => void errors.push(error);
  const rest = { touch, touchEveryMs: 1_000, idleMs: 0, onError };
  const session = runHijack({ sandboxes: api.context.sandboxes, ...rest }, socket, 'own');
  socket.emit('message', Buffer.from(JSON.stringify({ ...SPEC, path: 'cat' })), false);
  await session;
  expect(requests).toEqual([]);
  expect(errors).toEqual([new Error('the database is away')]);
  expect(sent).toEqual([JSON.stringify({ error: 'the database is away' })]);
});

test('[API-HIJ13] a session without input ends after a while', async () => {
  await using impatient = await serveHijack({ ...api, context: { ...api.context, interceptIdleMs: 1 } });
  const known = [...api.failures];
  const client = await impatient.connect(PATH, await as('member'));
  client.send({ ...SPEC, path: 'cat' });
  const messages: unknown[] = [];
  for (let message = await client.next(); message; message = await client.next()) messages.push(message);
  expect(messages.at(-1)).toEqual({ error: 'idle timeout (1ms) reached' });
  expect(await client.closed).toMatchObject({ code: 1000 });
  while (!ended) await new Promise(setImmediate);
  expect(api.failures).toEqual(known);
});

describe('malformed messages', () => {
  test.each([['no JSON'], ['{}'], ['{"path":""}'], ['{"path":"sh","args":"x"}']])(
    '[API-HIJ8] a process that is %s is refused',
    async (text) => {
      const client = await server.connect(PATH, await as('member'));
      client.send(text);
      expect(await client.closed).toEqual({ code: 1003, reason: 'malformed process spec' });
      expect(requests).toEqual([]);
    },
  );

  test('[API-HIJ8] malformed input closes the connection', async () => {
    const client = await open('cat');
    client.send({ stdin: 'not base64!' });
    expect(await client.closed).toEqual({ code: 1003, reason: 'malformed input' });
    if (!signal.aborted) await once(signal, 'abort');
  });
});

describe('permission', () => {
  test.each([
    ['nobody', undefined, PATH, 401],
    ['a viewer', 'viewer', PATH, 403],
    ['an operator', 'pipeline-operator', PATH, 403],
    ['a stranger', 'stranger', PATH, 403],
    ['a member, of another team’s', 'member', '/api/v1/teams/team/containers/theirs/hijack', 404],
    ['a member, of none', 'member', '/api/v1/teams/team/containers/none/hijack', 404],
    ['an owner, of a check’s', 'owner', '/api/v1/teams/team/containers/check/hijack', 403],
    ['a member, of something else', 'member', '/api/v1/info', 404],
  ] as const)('[API-HIJ9] %s: refused before a WebSocket is opened', async (_, user, path, status) => {
    expect(await server.refusal(path, user ? await as(user) : {})).toMatchObject({ status });
    expect(requests).toEqual([]);
  });

  test('[API-HIJ9] an administrator may hijack, also containers of checks', async () => {
    const client = await server.connect('/api/v1/teams/team/containers/check/hijack', await as('admin'));
    client.send(SPEC);
    expect(await client.next()).toEqual({ stdout: btoa('hello') });
    await client.closed;
    expect((await findSandbox(api.pool, 'check'))?.shared).toBe(true);
  });

  test('[API-HIJ10] a page of another site cannot use a browser’s cookie', async () => {
    const cookie = { Cookie: `skymarshal_auth="bearer ${await api.token('member')}"` };
    expect(await server.refusal(PATH, { ...cookie, Origin: 'https://evil.example.com' })).toMatchObject({
      status: 403,
    });
    const client = await server.connect(PATH, cookie);
    client.leave();
  });

  test('[API-HIJ9] a plain request is answered with 426', async () => {
    expect((await api.get(PATH, 'member')).status).toBe(426);
  });
});
