import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Duplex, duplexPair } from 'node:stream';
import { text } from 'node:stream/consumers';
import { HostError, type HostServices, parseWorker, systemClock } from '@seaplane/orchestrator';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createWebSocketStream, WebSocketServer } from 'ws';
import { dialWeb } from './dial-web.ts';
import { DialledAgent } from './dialled-agent.ts';
import type { AgentSettings } from './protocol.ts';
import { remoteKind } from './remote-kind.ts';
import { serveWeb } from './serve-web.ts';
import { readWorkerKey } from './worker-key.ts';

const KEY = 'k'.repeat(64);
const SETTINGS = { installation: 'db', publicKey: 'public', authorityKey: 'authority' };
const soon = () => AbortSignal.timeout(10_000);
/** Connections wait this long for the answer to a ping. */
const PING_MS = 15_000;
/** Whether nobody waits for a machine that is away. */
let impatient: boolean;
const clock = {
  ...systemClock,
  sleep: (ms: number, signal: AbortSignal) =>
    impatient && ms !== PING_MS ? Promise.resolve() : systemClock.sleep(ms, signal),
};

const MAC = { platform: 'darwin', plainProcesses: true };

let stack: AsyncDisposableStack;
let directory: string;
let troubles: string[];
beforeEach(async () => {
  stack = new AsyncDisposableStack();
  troubles = [];
  impatient = false;
  directory = await mkdtemp(join(tmpdir(), 'remote-'));
  stack.defer(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'key'), `${KEY}\n`);
});
afterEach(() => stack[Symbol.asyncDispose]());

function openAgent(keyFile = 'key', machine = MAC): DialledAgent {
  const onTrouble = (error: Error) => void troubles.push(error.message);
  return stack.use(new DialledAgent('mac', join(directory, keyFile), machine, { ...SETTINGS, clock, onTrouble }));
}

/** A web with the worker `mac`. */
async function startWeb() {
  const agent = openAgent();
  const server = new WebSocketServer({ port: 0 });
  stack.defer(() => server.close());
  const paths: string[] = [];
  server.on('connection', (socket, { url = '' }) => {
    paths.push(url);
    agent.answer(createWebSocketStream(socket));
  });
  await once(server, 'listening');
  const web = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/seaplane/`);
  return { agent, web, paths };
}

/** An HTTP server that answers with its name and the path. */
async function serve(name: string, at: string | number): Promise<number> {
  const server = createServer(({ url }, response) => response.end(`${name} ${url}`)).listen(at);
  stack.defer(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A machine that dials web, and the settings that web sent to it. */
async function dial(web: URL, key = KEY, worker = 'mac', machine = MAC) {
  const connection = await dialWeb({ web, worker, key: Buffer.from(key) }, soon());
  const socket = join(directory, 'control.sock');
  const got: AgentSettings[] = [];
  const session = serveWeb(connection, socket, machine, (settings) => {
    got.push(settings);
    return { info: async () => ({ ...SETTINGS, nonce: '', plainProcesses: machine.plainProcesses, port }) };
  });
  stack.defer(() => session.destroy());
  return { session, got };
}

let port: number;
async function serveMachine(): Promise<void> {
  await serve('control', join(directory, 'control.sock'));
  port = await serve('agent', 0);
}

function ask(createConnection: () => Duplex, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get({ path, createConnection }, (answer) => void text(answer).then(resolve, reject)).on('error', reject);
  });
}

describe('a machine that dials web', () => {
  test('[REMOTE1] is reached through its one connection, after web has told it whom it works for', async () => {
    await serveMachine();
    const { agent, web, paths } = await startWeb();
    const { got } = await dial(web);
    expect(paths).toEqual(['/seaplane/workers/mac/dial']);
    expect(await agent.info(soon())).toMatchObject({ port });
    expect(got).toEqual([SETTINGS]);
    expect(await ask(agent.control.createConnection, '/info')).toBe('control /info');
    const many = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(agent.connect, `/${i}`)));
    expect(many).toEqual(Array.from({ length: 20 }, (_, i) => `agent /${i}`));
  });

  test.each([
    ['another key', 'x'.repeat(64), 'mac'],
    ['the name of another worker', KEY, 'pc'],
  ])('[REMOTE2] with %s gets nothing and is not used', async (_, key, worker) => {
    const { agent, web } = await startWeb();
    impatient = true;
    await expect(dial(web, key, worker)).rejects.toMatchObject({ code: 'untrusted' });
    await expect(agent.info(soon())).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('the machine of the worker mac is not connected'),
    });
    await expect.poll(() => troubles).toEqual([expect.stringContaining('does not have its key')]);
    expect(() => agent.connect()).toThrow('is not connected');
  });

  test('[REMOTE2] sends nothing to a web with another key', async () => {
    const { agent, web } = await startWeb();
    await writeFile(join(directory, 'key'), 'y'.repeat(40));
    impatient = true;
    await expect(dial(web)).rejects.toMatchObject({
      code: 'untrusted',
      message: expect.stringContaining('so nothing was sent'),
    });
    await expect(agent.info(soon())).rejects.toBeInstanceOf(HostError);
  });

  test('[REMOTE3] is used again when it dials after a cut, and the newest connection counts', async () => {
    await serveMachine();
    const { agent, web } = await startWeb();
    const first = await dial(web);
    await agent.info(soon());
    first.session.destroy();
    await expect.poll(() => (async () => String(agent.connect()))().catch(String)).toContain('is not connected');
    const waiting = agent.info(soon());
    const second = await dial(web);
    expect(await waiting).toMatchObject({ port });
    const closed = once(second.session, 'close');
    const third = await dial(web);
    await closed;
    expect(await agent.info(soon())).toMatchObject({ port });
    expect(third.got).toEqual([SETTINGS]);
    expect(await ask(agent.connect, '/x')).toBe('agent /x');
  });

  test('[REMOTE6] stays connected when its worker is configured anew, and serves both configurations', async () => {
    await serveMachine();
    const { agent: former, web } = await startWeb();
    const { session } = await dial(web);
    await former.info(soon());
    const next = openAgent();
    const waiting = next.info(soon());
    next.takeOver(former);
    expect(await waiting).toMatchObject({ port });
    expect(await former.info(soon())).toMatchObject({ port });
    expect(await ask(former.connect, '/old')).toBe('agent /old');
    expect(await ask(former.control.createConnection, '/old')).toBe('control /old');
    expect(await ask(next.connect, '/new')).toBe('agent /new');
    former[Symbol.dispose]();
    expect(await ask(next.connect, '/new')).toBe('agent /new');
    // The former one may have been asked to take a connection before it was succeeded.
    const closed = once(session, 'close');
    await dial(web);
    await closed;
    expect(await next.info(soon())).toMatchObject({ port });
    expect(await ask(next.connect, '/again')).toBe('agent /again');
  });

  test('[REMOTE6] a call that waits for the machine at its former configuration goes on with the next one', async () => {
    await serveMachine();
    const { agent: next, web } = await startWeb();
    const former = openAgent();
    const waiting = former.info(soon());
    next.takeOver(former);
    await dial(web);
    expect(await waiting).toMatchObject({ port });
  });

  test('[REMOTE6] stays with its former configuration if the next one names another key', async () => {
    await serveMachine();
    const { agent: former, web } = await startWeb();
    await dial(web);
    await former.info(soon());
    const next = openAgent('other');
    next.takeOver(former);
    expect(await ask(former.connect, '/old')).toBe('agent /old');
    expect(() => next.connect()).toThrow('is not connected');
  });

  test.each([
    ['another system', { platform: 'linux', plainProcesses: true }],
    ['isolated steps', { platform: 'darwin', plainProcesses: false }],
  ])('[REMOTE7] a machine with %s than its entry says takes no steps', async (_, machine) => {
    await serveMachine();
    const { agent, web } = await startWeb();
    await dial(web, KEY, 'mac', machine);
    const error = await agent.info(soon()).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: 'bad-config' });
    expect((error as Error).message).toBe(
      `the machine of the worker mac has platform: ${machine.platform}, plainProcesses: ${machine.plainProcesses}, ` +
        'and its entry in the targets file says platform: darwin, plainProcesses: true',
    );
  });

  test('[REMOTE4] lets web reach its agent, and no other port or socket', async () => {
    await serveMachine();
    const statuses: unknown[] = [];
    const [a, b] = duplexPair();
    const session = serveWeb(b, join(directory, 'control.sock'), MAC, () => ({
      info: () => Promise.reject(new Error('no')),
    }));
    stack.defer(() => session.destroy());
    const client = connectHttp2('http://worker', { createConnection: () => a });
    stack.defer(() => client.destroy());
    for (const headers of [
      { ':method': 'CONNECT', ':authority': '127.0.0.1:22' },
      { ':method': 'CONNECT', ':authority': 'agent' }, // web has not said whom it works for
      { ':method': 'GET', ':path': '/etc/passwd' },
    ]) {
      const stream = client.request(headers);
      stream.on('error', () => {});
      const [answer] = await once(stream, 'response');
      statuses.push(answer[':status']);
      stream.destroy();
    }
    expect(statuses).toEqual([404, 404, 404]);
  });
});

test('[REMOTE7] the entry of a worker says which system it has, and whether its steps are plain processes', () => {
  const parse = (more: object) => parseWorker([remoteKind], 'target', { name: 'mac', key: '/k', ...more });
  const offered = (more: object) => Object.keys(parse(more).config.baseTypes);
  const services = { client: () => Promise.reject(new Error('no')), clock } as unknown as HostServices;
  const imagesOf = (more: object) => {
    using host = parse(more).openHost(services);
    return { images: host.images, pulls: host.pulls, ownImage: host.ownImage };
  };
  expect(parse({}).config.platform).toBe('linux');
  expect(offered({})).toContain('git');
  expect(imagesOf({})).toEqual({ pulls: 'any', ownImage: 'host' });
  expect(parse({ platform: 'darwin' }).config).toMatchObject({ platform: 'darwin', baseTypes: {} });
  expect(imagesOf({ platform: 'darwin' })).toEqual({ images: 'none', ownImage: 'host' });
  expect(parse({ plainProcesses: true }).config).toMatchObject({ platform: 'linux', baseTypes: {} });
  expect(() => parse({ platform: 'windows' })).toThrow('target.platform must be linux or darwin');
});

test('[REMOTE5] the key is a file with enough characters, and a worker names it by its absolute path', async () => {
  expect((await readWorkerKey(join(directory, 'key'))).toString()).toBe(KEY);
  await writeFile(join(directory, 'short'), 'abc');
  await expect(readWorkerKey(join(directory, 'short'))).rejects.toThrow('must have 32 to 256 characters');
  await expect(readWorkerKey(join(directory, 'none'))).rejects.toMatchObject({ code: 'bad-config' });
  const parse = (key: unknown) => parseWorker([remoteKind], 'target', { name: 'mac', key, tags: ['metal'] });
  expect(parse('/etc/key').config).toMatchObject({ name: 'mac', platform: 'linux', tags: ['metal'] });
  expect(() => parse('key')).toThrow('target.key must be an absolute path');
  expect(() => parse(undefined)).toThrow('target.key is missing');
});
