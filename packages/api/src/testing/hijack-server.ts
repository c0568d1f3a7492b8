import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { hijackUpgrade } from '../hijack/upgrade.ts';
import type { TestApi } from './test-api.ts';

/** The API's WebSockets on a port of this machine. */
export interface HijackServer extends AsyncDisposable {
  connect(path: string, headers?: Record<string, string>): Promise<HijackClient>;
  /** The refusal of a request to open a WebSocket. */
  refusal(path: string, headers?: Record<string, string>): Promise<{ status: number; body: string }>;
}

export interface HijackClient {
  send(message: unknown): void;
  /** The next message; undefined when the server has closed the connection. */
  next(): Promise<unknown>;
  ping(): Promise<void>;
  /** The code and reason with which the server closed the connection. */
  readonly closed: Promise<{ code: number; reason: string }>;
  leave(): void;
}

export async function serveHijack(api: TestApi): Promise<HijackServer> {
  const upgrade = hijackUpgrade(api.app, api.context);
  const server = createServer((_, response) => response.writeHead(404).end());
  server.on('upgrade', (request, socket, head) => void upgrade.handle(request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    async connect(path, headers = {}) {
      const socket = new WebSocket(`${base}${path}`, { headers });
      const client = clientOf(socket);
      await once(socket, 'open');
      return client;
    },
    async refusal(path, headers = {}) {
      const socket = new WebSocket(`${base}${path}`, { headers });
      socket.on('error', () => {});
      const [, response] = await once(socket, 'unexpected-response');
      const body = (await response.setEncoding('utf8').toArray()).join('');
      return { status: response.statusCode, body };
    },
    async [Symbol.asyncDispose]() {
      await upgrade[Symbol.asyncDispose]();
      server.close();
      await once(server, 'close');
    },
  };
}

function clientOf(socket: WebSocket): HijackClient {
  const received: unknown[] = [];
  const waiting: ((message: unknown) => void)[] = [];
  const deliver = (message: unknown) => {
    const waiter = waiting.shift();
    if (waiter) waiter(message);
    else received.push(message);
  };
  socket.on('message', (data) => deliver(JSON.parse(String(data))));
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => {
      deliver(undefined);
      resolve({ code, reason: String(reason) });
    });
  });
  return {
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    next: () =>
      received.length > 0 ? Promise.resolve(received.shift()) : new Promise((resolve) => waiting.push(resolve)),
    async ping() {
      const pong = once(socket, 'pong');
      socket.ping();
      await pong;
    },
    closed,
    leave: () => socket.terminate(),
  };
}
