import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { encodeFrame } from '../protocol/frames.ts';
import { OUTPUT_FRAME, PROTOCOL_HEADER, PROTOCOL_VERSION } from '../protocol/messages.ts';
import { exitRecordOf } from '../server/sidecar/exit-record.ts';
import { certified } from '../testing/certified.ts';
import { createClient } from './client.ts';
import { createSigner, generateKeys } from './signer.ts';

const { sign } = createSigner(generateKeys().privateKey);
const never = () => new AbortController().signal;
const process1 = { id: 'task', attempt: '7' };
const exitFrame = (attempt: string) =>
  encodeFrame(OUTPUT_FRAME.exit, JSON.stringify(exitRecordOf({ id: 'task', attempt }, { kind: 'exited', status: 0 })));

/** A server that answers each request with the next of these. */
async function serverOf(...answers: ((request: IncomingMessage, response: ServerResponse) => void)[]) {
  const asked: string[] = [];
  const { certificate, server: identity } = await certified('task-1');
  const server = createServer(certificate, (request, response) => {
    asked.push(request.url ?? '');
    response.setHeader(PROTOCOL_HEADER, String(PROTOCOL_VERSION));
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    answer?.(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    asked,
    server,
    url,
    authority: identity.authority,
    client: createClient({ handle: 'task-1', url, sign, authority: identity.authority }),
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const cut = (response: ServerResponse, bytes: Uint8Array) =>
  response.writeHead(200).write(bytes, () => response.socket?.destroy());

async function follow(client: ReturnType<typeof createClient>, signal = never(), onAnswer = () => {}) {
  let text = '';
  for await (const item of client.output(process1, { stdout: 2, stderr: 0 }, signal, onAnswer)) {
    text += item.kind === 'exit' ? ` exit ${item.record.attempt}` : Buffer.from(item.bytes).toString();
  }
  return text;
}

test('[BC55] a call that ends with the last bytes of its answer does not end the process', async () => {
  using fake = await serverOf((_, response) => response.end(encodeFrame(OUTPUT_FRAME.stdout, 'abc')));
  const closed = Promise.withResolvers<void>();
  fake.server.on('secureConnection', (socket) => socket.on('close', closed.resolve));
  const over = new AbortController();
  const reading = async () => {
    for await (const _ of fake.client.output(process1, { stdout: 0, stderr: 0 }, over.signal)) {
      over.abort(new Error('the step is over'));
    }
  };
  await expect(reading()).rejects.toThrow('the step is over');
  await closed.promise; // an unheard error of the connection fails this run
});

test('[BC9] output continues at the byte where the connection broke', async () => {
  const frame = (text: string) => encodeFrame(OUTPUT_FRAME.stdout, text);
  using fake = await serverOf(
    (_, response) => cut(response, Buffer.concat([frame('abc'), frame('lost').subarray(0, 7)])),
    (_, response) => cut(response, Buffer.alloc(0)),
    (_, response) => response.end(encodeFrame(OUTPUT_FRAME.alive)), // ends, but says nothing of an exit
    (_, response) => response.end(Buffer.concat([frame('def'), exitFrame('7')])),
  );
  let answers = 0;
  const onAnswer = () => {
    answers++;
  };
  expect(await follow(fake.client, never(), onAnswer)).toBe('abcdef exit 7');
  expect(answers).toBe(4);
  expect(fake.asked.map((url) => new URL(url, 'http://x').searchParams.get('stdout'))).toEqual(['2', '5', '5', '5']);
});

test('[BC41] a server without an address is reached over a way that the caller opens, and must prove who it is', async () => {
  using fake = await serverOf((request, response) => void request.resume().on('end', () => response.end('{}')));
  const sockets = new WebSocketServer({ server: fake.server });
  sockets.on('connection', (socket) => socket.send(JSON.stringify({ exit_status: 3 })));
  let asked = 0;
  const way = () => {
    if (asked++ === 0) throw new Error('there is no way yet');
    return connect(Number(new URL(fake.url).port), '127.0.0.1');
  };
  const at = { url: 'https://127.0.0.1:1/below', sign, authority: fake.authority, connect: way };
  const client = createClient({ ...at, handle: 'task-1' });
  expect(await client.health(never())).toEqual({}); // the second time
  await client.putArtifact('a', 'main', new Blob(['x']).stream(), never());
  const asks = { ...process1, path: 'sh', args: [], env: [], dir: '/', user: '', tty: null };
  await using shell = await client.hijack(asks, never());
  expect(await shell.messages[Symbol.asyncIterator]().next()).toEqual({ done: false, value: { exit_status: 3 } });
  expect(fake.asked).toEqual(['/below/health', expect.stringContaining('/below/artifacts/a')]);
  await expect(createClient({ ...at, handle: 'task-2' }).health(never())).rejects.toMatchObject({ code: 'untrusted' });
  sockets.close();
});

test('[BC9] a client that follows output sends the process and the offsets, and nothing else', async () => {
  using fake = await serverOf((_, response) => response.end(exitFrame('7')));
  const request = { ...process1, stdin: 's3cr3t', env: {} };
  for await (const _ of fake.client.output(request, { stdout: 1, stderr: 2 }, never()));
  expect(fake.asked).toEqual(['/output?id=task&attempt=7&stdout=1&stderr=2']);
});

test('[BC9] a record of another attempt is not a result', async () => {
  using fake = await serverOf((_, response) => response.end(exitFrame('6')));
  await expect(follow(fake.client)).rejects.toMatchObject({
    code: 'conflict',
    message: 'the exit record of task is of attempt 6, not of 7',
  });
});

test('[BC9] a client waits for a server that is gone until it is aborted', async () => {
  using fake = await serverOf((_, response) => cut(response, encodeFrame(OUTPUT_FRAME.stdout, 'x')));
  const abort = new AbortController();
  const following = follow(fake.client, abort.signal);
  while (fake.asked.length < 3) await once(fake.server, 'request');
  abort.abort(new Error('enough'));
  await expect(following).rejects.toThrow('enough');
});

test('[BC5] a server of another protocol is refused', async () => {
  using fake = await serverOf((_, response) => {
    response.setHeader(PROTOCOL_HEADER, '1');
    response.end('{}');
  });
  await expect(fake.client.health(never())).rejects.toMatchObject({
    code: 'other-protocol',
    message: expect.stringContaining('speaks protocol 1 and this web speaks 2'),
  });
});

test('[BC3] a refusal is thrown with the words of the server', async () => {
  const body = JSON.stringify({ error: { code: 'forbidden', message: 'no, because' } });
  using fake = await serverOf((_, response) => response.writeHead(403).end(body));
  const refused = fake.client.signal({ id: 'task', signal: 'stop' }, never());
  await expect(refused).rejects.toMatchObject({ name: 'BaggageclaimError', code: 'forbidden', message: 'no, because' });
  expect(await fake.client.readFile('/x', 'y', 1024, never()).catch((error) => error.code)).toBe('forbidden');
});

test('[BC6] a call that breaks is repeated', async () => {
  using fake = await serverOf(
    (request) => request.socket.destroy(),
    (_, response) => cut(response, Buffer.from('{"prot')),
    (_, response) => response.end('{"protocol":1}'),
  );
  expect(await fake.client.health(never())).toEqual({ protocol: 1 });
  expect(fake.asked).toHaveLength(3);
});

test('[BC15] an endless answer is given up', async () => {
  using fake = await serverOf((_, response) => {
    const more = () => response.write(Buffer.alloc(1024 * 1024), () => response.destroyed || more());
    more();
  });
  await expect(fake.client.listArtifacts(never())).rejects.toMatchObject({
    code: 'internal',
    message: expect.stringContaining('longer than 64 MiB'),
  });
});

test('[BC31] a client stops sending when the server has refused', async () => {
  using fake = await serverOf((_, response) =>
    response.writeHead(413).end('{"error":{"code":"too-large","message":"x"}}'),
  );
  const cancelled = Promise.withResolvers<void>();
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
    cancel: () => cancelled.resolve(),
  });
  await expect(fake.client.putArtifact('a', 'team', endless, never())).rejects.toMatchObject({ code: 'too-large' });
  await cancelled.promise;
});

test('[BC25] a file that is too large is not read to its end, whether or not its size is announced', async () => {
  using fake = await serverOf(
    (_, response) => response.writeHead(200, { 'Content-Length': 2000 }).write('x'),
    (_, response) => {
      const more = () => response.write(Buffer.alloc(1000), () => response.destroyed || more());
      more();
    },
    (_, response) => response.end(Buffer.alloc(1024)),
  );
  await expect(fake.client.readFile('/x', 'y', 1024, never())).rejects.toMatchObject({
    code: 'too-large',
    message: 'y is larger than the limit of 1024 bytes: it has 2000 bytes',
  });
  await expect(fake.client.readArtifactFile('a', 'x', 1024, never())).rejects.toMatchObject({
    code: 'too-large',
    message: 'x is larger than the limit of 1024 bytes',
  });
  expect(await fake.client.readFile('/x', 'y', 1024, never())).toHaveLength(1024);
});

test('[BC16] a malformed message ends a hijacked shell, and not web', async () => {
  using fake = await serverOf(() => {});
  const sockets = new WebSocketServer({ server: fake.server });
  sockets.on('connection', (socket) => socket.send('not json'));
  await using shell = await fake.client.hijack(
    { path: 'sh', args: [], env: [], dir: '/', user: '', tty: null },
    never(),
  );
  const messages = [];
  for await (const message of shell.messages) messages.push(message);
  expect(messages).toEqual([]);
});

test('[BC33] a client waits until the process has taken its input, or has ended', async () => {
  using fake = await serverOf(() => {});
  const sockets = new WebSocketServer({ server: fake.server });
  const connected = Promise.withResolvers<WebSocket>();
  let received = 0;
  sockets.on('connection', (socket) => {
    socket.on('message', () => received++);
    connected.resolve(socket);
  });
  const shell = await fake.client.hijack({ path: 'sh', args: [], env: [], dir: '/', user: '', tty: null }, never());
  const reading = Array.fromAsync(shell.messages);
  const stdin = 'x'.repeat(64 * 1024);
  let sent = 0;
  const sending = (async () => {
    for (; sent < 12; sent++) await shell.send({ stdin });
  })();
  const sidecar = await connected.promise;
  await expect.poll(() => received).toBe(1 + 5); // the request, a window of four, and one that waits
  expect(sent).toBe(4);
  for (let i = 0; i < 3; i++) sidecar.send(JSON.stringify({ taken: stdin.length }));
  await expect.poll(() => received).toBe(1 + 8);
  expect(sent).toBe(7);
  sidecar.send(JSON.stringify({ exit_status: 0 }));
  sidecar.close();
  await sending;
  expect(await reading).toEqual([{ exit_status: 0 }]);
});

test("[BC15] sources name the pods' address, and carry a token for one directory", () => {
  const urls = { url: 'https://web-side:1', podUrl: 'https://pod-side:2' };
  const client = createClient({ handle: 'get-1', ...urls, sign, authority: 'PEM' });
  const { url, token, server } = client.sourceOf('/tmp/build/get with space');
  expect(server).toEqual({ name: 'get-1', authority: 'PEM' });
  expect(url).toBe('https://pod-side:2/tree?path=%2Ftmp%2Fbuild%2Fget%20with%20space');
  const grant = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  expect(grant).toMatchObject({ aud: 'get-1', scope: ['read:/tmp/build/get with space'] });
  expect(client.artifactSource('a').url).toBe('https://pod-side:2/artifacts/a');
});

describe('another server at the address', () => {
  const RUN = { ...process1, path: 'sh', args: [], env: { TOKEN: 's3cr3t' }, dir: '/', user: '', tty: null };

  /** Accepts every connection, and keeps everything that it is sent after the handshake. */
  async function impostor(name: string) {
    const { certificate } = await certified(name);
    let received = '';
    const server = createTlsServer(certificate, (socket) => {
      socket.on('data', (bytes) => {
        received += bytes;
      });
      socket.on('error', () => {});
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, received: () => received, [Symbol.dispose]: () => void server.close() };
  }

  test.each<[string, (client: ReturnType<typeof createClient>) => Promise<unknown>]>([
    ['a run request', (client) => client.run({ ...RUN, stdin: 's3cr3t', inputs: [], directories: [] }, never())],
    ['a token', (client) => client.deleteArtifact('a', never())],
    ['an upload', (client) => client.putArtifact('a', 'main', new Blob(['s3cr3t']).stream(), never())],
    ['a hijacked shell', (client) => client.hijack({ ...RUN, env: [] }, never())],
    [
      'output',
      async (client) => client.output(process1, { stdout: 0, stderr: 0 }, never())[Symbol.asyncIterator]().next(),
    ],
  ])('[BC26] gets nothing of %s', async (_, send) => {
    // It has the right name, and even then not the signature of the authority.
    using other = await impostor('task-1');
    const { server } = await certified('task-1');
    const client = createClient({ handle: 'task-1', url: other.url, sign, authority: server.authority });
    await expect(send(client)).rejects.toMatchObject({
      code: 'untrusted',
      message: expect.stringContaining('does not prove that it is the expected pod'),
    });
    expect(other.received()).toBe('');
  });

  test('[BC26] another sandbox of the same worker is another server', async () => {
    using fake = await serverOf((_, response) => response.end('{}'));
    const client = createClient({ handle: 'task-2', url: fake.url, sign, authority: fake.authority });
    await expect(client.health(never())).rejects.toMatchObject({ code: 'untrusted' });
    expect(fake.asked).toEqual([]);
  });
});
