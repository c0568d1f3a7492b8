import { once } from 'node:events';
import { mkdtempDisposable } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callAgent, linesOf } from './agent-call.ts';

test('[LOCAL49] a call that ends with the last bytes of its answer does not end the process', async () => {
  await using directory = await mkdtempDisposable(join(tmpdir(), 'control-'));
  const socketPath = join(directory.path, 'control');
  const server = createServer((_request, response) => response.end('{}\n')).listen(socketPath);
  await once(server, 'listening');
  const closed = Promise.withResolvers<void>();
  server.on('connection', (socket) => socket.on('close', closed.resolve));
  const over = new AbortController();
  const answer = await callAgent({ where: socketPath, socketPath }, { method: 'GET', path: '/' }, over.signal);
  const lines: string[] = [];
  for await (const line of linesOf(answer)) {
    lines.push(line);
    over.abort();
  }
  expect(lines).toEqual(['{}']);
  await closed.promise; // an unheard error of the connection fails this run
  server.close();
});
