import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAgent, type HttpClientOptions, send } from '../../client/http-client.ts';
import { createSigner, generateKeys } from '../../client/signer.ts';
import type { GrantScope } from '../../protocol/grant.ts';
import { PROTOCOL_HEADER, PROTOCOL_VERSION } from '../../protocol/messages.ts';
import { openTestRelay, relayedServer, serveTestRelay } from '../../testing/relayed.ts';
import type { Listener } from '../runtime/runtime.ts';

const signer = createSigner(generateKeys().privateKey);
const now = () => Date.now() / 1000;
const soon = () => AbortSignal.timeout(10_000);
const headers = { [PROTOCOL_HEADER]: String(PROTOCOL_VERSION) };

let relay: Listener;
let client: ClientHttp2Session;
beforeEach(async () => {
  relay = await serveTestRelay('store', signer);
  client = connect(`http://${relay.address}`);
});
afterEach(async () => {
  client.destroy();
  await relay.stop();
});

async function statusOf(asked: Record<string, string>): Promise<unknown> {
  const stream = client.request(asked);
  stream.on('error', () => {});
  const [answer] = await once(stream, 'response');
  stream.destroy();
  return answer[':status'];
}

function connectWith(scope: GrantScope, claims: { aud?: string; exp?: number } = {}): Record<string, string> {
  const token = signer.sign({ aud: 'store', exp: now() + 60, scope: [scope], ...claims });
  return { ':method': 'CONNECT', ':authority': 'sidecar', authorization: `Bearer ${token}` };
}

test('[BC51] a stream reaches the sidecar port of the address that its token names, and nothing else', async () => {
  await using pod = await relayedServer('task-1', (_, response) => response.end());
  expect(await statusOf(connectWith(`relay:${pod.address}`))).toBe(200);
  expect(await statusOf({ ...connectWith(`relay:${pod.address}`), ':authority': '127.0.0.1:1' })).toBe(200);
  const other = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' && address?.port;
  for (const place of [`127.0.0.1:${port}`, 'localhost', '']) {
    expect(await statusOf(connectWith(`relay:${place}`)), place).toBe(400);
  }
  other.close();
});

test('[BC51] a stream without a token for the relay of this store is refused', async () => {
  const good = 'relay:127.0.0.1' as const;
  expect(await statusOf({ ':method': 'CONNECT', ':authority': '127.0.0.1:22' })).toBe(401);
  expect(await statusOf(connectWith(good, { aud: 'store-of-another' }))).toBe(401);
  expect(await statusOf(connectWith(good, { exp: now() - 60 }))).toBe(401);
  expect(await statusOf({ ...connectWith(good), authorization: 'Bearer x.y' })).toBe(401);
  expect(await statusOf(connectWith('run'))).toBe(403);
  expect(await statusOf({ ':method': 'GET', ':path': '/', authorization: 'Bearer x' })).toBe(404);
});

test('[BC51] an address at which nothing listens is answered with 503', async () => {
  const gone = await relayedServer('task-1', () => {});
  await gone[Symbol.asyncDispose]();
  expect(await statusOf(connectWith(`relay:${gone.address}`))).toBe(503);
});

test('[BC52] the server at the other end proves who it is, and gets the call', async () => {
  await using pod = await relayedServer('task-1', (request, response) => {
    response.writeHead(200, headers);
    request.pipe(response);
  });
  using way = await openTestRelay(relay.address, signer, soon());
  const agent = createAgent(true, way.connect);
  const options: HttpClientOptions = {
    url: pod.url,
    server: pod.identity,
    agent,
    connect: way.connect,
    token: () => 't',
  };
  const call = { method: 'POST', path: '/', scope: [], body: { hello: 'there' } } as const;
  const answer = await send(options, call, soon());
  expect(JSON.parse((await answer.toArray()).join(''))).toEqual(call.body);
  const other = { ...options, server: { ...pod.identity, name: 'task-2' } };
  await expect(send(other, call, soon())).rejects.toMatchObject({ code: 'untrusted' });
  agent.destroy();
});

test('[BC53] a relay that is cut ends the ways through it, and opens no more', async () => {
  await using pod = await relayedServer('task-1', () => {});
  using way = await openTestRelay(relay.address, signer, soon());
  const stream = way.connect(pod.address);
  const closed = once(stream, 'close');
  await once(stream, 'response');
  await relay.stop();
  await way.closed;
  await closed;
  expect(() => way.connect(pod.address)).toThrow('the connection to the relay of the store store was closed');
  relay = await serveTestRelay('store', signer);
});
