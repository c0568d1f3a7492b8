import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { dialUpgrade } from './dials.ts';
import { HttpServer } from './http-server.ts';

test('[WEB25] a machine dials in the name of a worker that there is, and every other path is somebody else’s', async () => {
  await using server = await HttpServer.listen(new Hono(), { host: '127.0.0.1', port: 0 });
  const taken: Duplex[] = [];
  const dial = dialUpgrade((name) =>
    name === 'the desk' ? { answer: (connection: Duplex) => void taken.push(connection) } : undefined,
  );
  const passed: (string | undefined)[] = [];
  server.onUpgrade(async (request, socket, head) => {
    if (dial(request, socket, head)) return;
    passed.push(request.url);
    socket.destroy();
  });
  const open = (path: string) => new WebSocket(`ws://127.0.0.1:${server.port}${path}`);

  const desk = open('/workers/the%20desk/dial');
  await once(desk, 'open');
  desk.send('hello');
  await expect.poll(() => taken).toHaveLength(1);
  const [connection] = taken as [Duplex];
  expect(String((await once(connection, 'data'))[0])).toBe('hello');
  connection.write('hello to you');
  expect(String((await once(desk, 'message'))[0])).toBe('hello to you');
  desk.terminate();

  for (const name of ['other', '%']) {
    const [error] = await once(
      open(`/workers/${name}/dial`).on('error', () => {}),
      'error',
    );
    expect(error).toMatchObject({ message: expect.stringContaining('404') });
  }
  for (const path of ['/workers/desk', '/api/v1/teams/main/containers/x/hijack']) await once(open(path), 'error');
  expect(passed).toEqual(['/workers/desk', '/api/v1/teams/main/containers/x/hijack']);
});
