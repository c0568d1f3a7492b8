import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClient } from '../../client/client.ts';
import { createAgent, type HttpClientOptions, send } from '../../client/http-client.ts';
import type { Relay } from '../../client/relay.ts';
import { encodeFrame } from '../../protocol/frames.ts';
import { OUTPUT_FRAME, PROTOCOL_HEADER, PROTOCOL_VERSION } from '../../protocol/messages.ts';
import { openTestRelay, type RelayedServer, relayedServer } from '../../testing/relayed.ts';
import { never } from '../../testing/sandboxes.ts';
import { type ServerProgram, type ServerRuntime, serverPrograms } from '../../testing/server-programs.ts';
import { TestStore } from '../../testing/stores.ts';

const headers = { [PROTOCOL_HEADER]: String(PROTOCOL_VERSION) };
const BLOCK = randomBytes(1024 * 1024);
const BLOCKS = 48;
const MANY = 300;

let programs: Record<ServerRuntime, ServerProgram>;
beforeAll(() => {
  programs = serverPrograms();
});

function blocks(): Readable {
  return Readable.from(Array.from({ length: BLOCKS }, () => BLOCK));
}

async function digestOf(stream: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

describe.each(['bun', 'node'] as const)('the relay on %s', (runtime) => {
  let store: TestStore;
  let pod: RelayedServer;
  let way: Relay;
  let options: HttpClientOptions;
  beforeAll(async () => {
    store = await TestStore.start(programs[runtime]);
    way = await openTestRelay(store.relayAddress, store.signer, never());
    pod = await relayedServer('task-1', async (request, response) => {
      response.writeHead(200, headers);
      if (request.url === '/down') blocks().pipe(response);
      else response.end(request.url === '/up' ? await digestOf(request) : 'x');
    });
    const agent = createAgent(true, way.connect);
    options = { url: pod.url, server: pod.identity, agent, connect: way.connect, token: () => 't' };
  });
  afterAll(async () => {
    way?.[Symbol.dispose]();
    await pod?.[Symbol.asyncDispose]();
    await store?.[Symbol.asyncDispose]();
  });
  const get = (path: string): Promise<IncomingMessage> => send(options, { method: 'GET', path, scope: [] }, never());

  test('[BC52] carries large streams whole, both ways at once, past streams that nobody reads', {
    timeout: 120_000,
  }, async () => {
    const stalled = await Promise.all(Array.from({ length: 20 }, () => get('/down')));
    const body = Readable.toWeb(blocks()) as ReadableStream<Uint8Array>;
    const up = send(options, { method: 'PUT', path: '/up', scope: [], body }, never()).then((answer) => text(answer));
    const down = Promise.all(Array.from({ length: 3 }, async () => digestOf(await get('/down'))));
    const expected = await digestOf(blocks());
    expect(await up).toBe(expected);
    expect(await down).toEqual([expected, expected, expected]);
    expect(await digestOf(stalled[0] as IncomingMessage)).toBe(expected);
    for (const answer of stalled) answer.destroy();
  });

  test('[BC52] carries hundreds of streams side by side', { timeout: 120_000 }, async () => {
    const streams = Array.from({ length: MANY }, () => way.connect(pod.address));
    const answers = await Promise.all(streams.map((stream) => once(stream, 'response')));
    expect(answers.map(([headers]) => headers[':status'])).toEqual(Array.from({ length: MANY }, () => 200));
    expect(await text(await get('/x'))).toBe('x');
    for (const stream of streams) stream.destroy();
  });

  test('[BC53] output continues at the same byte when the connection to the relay was cut', {
    timeout: 60_000,
  }, async () => {
    const output = 'first second third';
    const record = { id: 'task', attempt: '7', end: { kind: 'exited', status: 0 } };
    const asked: string[] = [];
    let hold = true;
    await using sidecar = await relayedServer('task-2', (request, response) => {
      const at = Number(new URL(request.url ?? '', 'http://x').searchParams.get('stdout'));
      asked.push(String(at));
      response.writeHead(200, headers);
      response.write(encodeFrame(OUTPUT_FRAME.stdout, output.slice(at, at + 6)));
      if (hold) return;
      response.write(encodeFrame(OUTPUT_FRAME.stdout, output.slice(at + 6)));
      response.end(encodeFrame(OUTPUT_FRAME.exit, JSON.stringify(record)));
    });
    let relay = await openTestRelay(store.relayAddress, store.signer, never());
    const client = createClient({
      handle: 'task-2',
      url: sidecar.url,
      sign: store.signer.sign,
      authority: sidecar.identity.authority,
      connect: (host) => relay.connect(host),
    });
    let read = '';
    for await (const item of client.output({ id: 'task', attempt: '7' }, { stdout: 0, stderr: 0 }, never())) {
      if (item.kind === 'exit') continue;
      read += Buffer.from(item.bytes).toString();
      if (!hold) continue;
      hold = false;
      relay[Symbol.dispose]();
      await relay.closed;
      relay = await openTestRelay(store.relayAddress, store.signer, never());
    }
    expect(read).toBe(output);
    expect(asked).toEqual(['0', '6']);
    relay[Symbol.dispose]();
  });

  test('[BC51] refuses a token that does not name an address', async () => {
    const stream = way.connect('not-an-address');
    const [error] = await once(stream, 'error');
    expect(error).toMatchObject({ message: 'the store store answered 400' });
  });
});
