import { once } from 'node:events';
import { connect } from 'node:net';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { browserUrl, HttpServer } from './http-server.ts';
import { securityHeaders } from './security-headers.ts';

test('[WEB5] the error for a taken port names the port and how to choose another', async () => {
  await using first = await HttpServer.listen(new Hono(), { host: '127.0.0.1', port: 0 });
  const second = HttpServer.listen(new Hono(), { host: '127.0.0.1', port: first.port });
  await expect(second).rejects.toMatchObject({ name: 'WebError', code: 'port-in-use' });
  await expect(second).rejects.toThrow(
    `Port ${first.port} on 127.0.0.1 is in use by another program. Choose another with --port PORT or SEAPLANE_PORT.`,
  );
});

test.for(['192.0.2.1', 'no-such-host.invalid'])('[WEB7] %s is not an address of this machine', async (host) => {
  const listening = HttpServer.listen(new Hono(), { host, port: 0 });
  await expect(listening).rejects.toMatchObject({ code: 'address-unusable' });
  await expect(listening).rejects.toThrow(`"${host}" is not an address of this machine.`);
});

test('[WEB4] requests under way finish, new ones are refused, idle connections are ended', async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  const app = new Hono().get('/slow', async (c) => {
    started.resolve();
    await finish.promise;
    return c.text('done');
  });
  await using server = await HttpServer.listen(app, { host: '127.0.0.1', port: 0 });
  const idle = connect(server.port, '127.0.0.1');
  await once(idle, 'connect');
  const idleEnded = once(idle, 'close');
  idle.resume();
  const slow = fetch(`http://127.0.0.1:${server.port}/slow`);
  await started.promise;
  const closed = server.close();
  await expect(fetch(`http://127.0.0.1:${server.port}/slow`)).rejects.toThrow('fetch failed');
  finish.resolve();
  expect(await (await slow).text()).toBe('done');
  await closed;
  await idleEnded;
});

test('[HTTP4] a long query, such as that of instance vars, is accepted', async () => {
  const app = new Hono().get('/', (c) => c.text(String(c.req.query('vars')?.length)));
  await using server = await HttpServer.listen(app, { host: '127.0.0.1', port: 0 });
  const response = await fetch(`http://127.0.0.1:${server.port}/?vars=${'x'.repeat(200_000)}`);
  expect(await response.text()).toBe('200000');
});

test('[WEB4] an event stream is cut off at once, and does not look complete', async () => {
  const finish = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const app = new Hono()
    .get('/events', () => new Response(endless(), { headers: { 'Content-Type': 'text/event-stream; charset=utf-8' } }))
    .get('/slow', async (c) => {
      started.resolve();
      await finish.promise;
      return c.text('done');
    });
  await using server = await HttpServer.listen(app, { host: '127.0.0.1', port: 0 });
  const events = (await fetch(`http://127.0.0.1:${server.port}/events`)).body?.getReader();
  await events?.read();
  const slow = fetch(`http://127.0.0.1:${server.port}/slow`);
  await started.promise;
  const closed = server.close();
  await expect(events?.read()).rejects.toThrow('terminated');
  finish.resolve();
  expect(await (await slow).text()).toBe('done');
  await closed;
});

test.for(['text/event-stream; charset=utf-8', 'application/octet-stream'])(
  '[HTTP3] a stream of %s that fails at once is cut off',
  async (type) => {
    const app = new Hono().use(securityHeaders()).get('/', (c) => {
      const failing = new ReadableStream({
        pull: (controller) => controller.error(new Error('expected by this test')),
      });
      return c.body(failing, 200, { 'Content-Type': type });
    });
    await using server = await HttpServer.listen(app, { host: '127.0.0.1', port: 0 });
    const body = fetch(`http://127.0.0.1:${server.port}/`).then((response) => response.text());
    await expect(body).rejects.toThrow(/terminated|fetch failed/);
  },
);

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('id: 0\n')) });
}

test.for([
  ['127.0.0.1', 'http://localhost:8080'],
  ['0.0.0.0', 'http://localhost:8080'],
  ['::', 'http://localhost:8080'],
  ['ci.example', 'http://ci.example:8080'],
  ['2001:db8::1', 'http://[2001:db8::1]:8080'],
])('[WEB3] %s is opened in a browser as %s', ([host = '', url]) => {
  expect(browserUrl(host, 8080)).toBe(url);
});
