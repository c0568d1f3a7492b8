import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { certified } from '../../testing/certified.ts';
import { createNodeRuntime } from '../runtime/node.ts';
import { httpPull } from './http-pull.ts';

const { signal } = new AbortController();

test('[BC13] a source that stops sending is given up', async () => {
  const { certificate, server: identity } = await certified('silent');
  const server = createServer(certificate, (_, response) => void response.write('some'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/tree`;
  const body = await httpPull(createNodeRuntime(), 200)({ url, token: 'x', server: identity }, signal);
  await expect(new Response(body).text()).rejects.toThrow();
  server.closeAllConnections();
  server.close();
});
