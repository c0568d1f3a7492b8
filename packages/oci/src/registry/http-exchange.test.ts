import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { closeTransport, exchange, openTransport, readSmall } from './http-exchange.ts';

const { signal } = new AbortController();
afterEach(() => void vi.useRealTimers());

test('[OCI19] a connection fails that is not made in time', async () => {
  // It takes connections and says nothing, so no TLS connection is ever made.
  const open = new Set<Socket>();
  const silent = createServer((socket) => open.add(socket.on('error', () => {}))).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const transport = openTransport({ verify: true, connectMs: 20 });
  const url = new URL(`https://127.0.0.1:${(silent.address() as AddressInfo).port}/v2/`);
  await expect(exchange(transport, { method: 'GET', url, headers: {}, signal })).rejects.toThrow(
    '127.0.0.1 did not answer within 0.02 s',
  );
  closeTransport(transport);
  for (const socket of open) socket.destroy();
  silent.close();
});

test('[OCI30] a request that ends with the last bytes of its answer does not end the process', async () => {
  const server = createHttpServer((_request, response) => response.end('all of it')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closed = Promise.withResolvers<void>();
  server.on('connection', (socket) => socket.on('close', closed.resolve));
  const transport = openTransport({ verify: true });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  const over = new AbortController();
  const { body } = await exchange(transport, { method: 'GET', url, headers: {}, signal: over.signal });
  body.on('data', () => over.abort(new Error('nobody wants it')));
  await closed.promise; // an unheard error of the connection fails this run
  closeTransport(transport);
  server.close();
});

test('[OCI19] an answer may take longer than the connection, also on a connection that is used again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const connectMs = 10_000;
  const server = createHttpServer((_request, response) => {
    vi.advanceTimersByTime(2 * connectMs);
    response.end('late');
  });
  let connections = 0;
  server.on('connection', () => connections++).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const transport = openTransport({ verify: true, connectMs });
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  for (let request = 0; request < 2; request++) {
    const answer = await exchange(transport, { method: 'GET', url, headers: {}, signal });
    expect((await readSmall(answer, 100)).toString()).toBe('late');
  }
  expect(connections).toBe(1);
  closeTransport(transport);
  server.close();
});
