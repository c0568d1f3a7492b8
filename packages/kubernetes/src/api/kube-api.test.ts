import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { fakeTarget } from '../testing/fake-target.ts';
import { KubeApi } from './kube-api.ts';
import { loadCluster } from './kubeconfig.ts';

test('[KUBE-API3] a request that ends with the last bytes of its answer does not end the process', async () => {
  const server = createServer((_request, response) => response.end('{}\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const closed = Promise.withResolvers<void>();
  server.on('connection', (socket) => socket.on('close', closed.resolve));
  await using fake = await fakeTarget(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  using api = new KubeApi(() => loadCluster(fake.target));
  const over = new AbortController();
  const request = { method: 'GET', path: '/', what: 'watch', signal: over.signal } as const;
  const lines: unknown[] = [];
  for await (const line of api.lines(request)) {
    lines.push(line);
    over.abort();
  }
  expect(lines).toEqual([{}]);
  await closed.promise; // an unheard error of the connection fails this run
  server.close();
});
