import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { cleanEnvironment, whatIsMissing } from './web.ts';

let server: Server | undefined;

afterEach(() => server?.close());

async function answering(status: number): Promise<string> {
  server = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([404, 401, 500])(
  '[CONF15] a web that answers %i cannot run a spec, and the reason says so',
  async (status) => {
    const reason = `web answers ${status} to GET /api/v1/info: the API is not there yet`;
    expect(await whatIsMissing(await answering(status))).toBe(reason);
  },
);

test('[CONF15] the suite runs by itself once web answers', async () => {
  expect(await whatIsMissing(await answering(200))).toBeUndefined();
});

test('[CONF18] a database or cluster of the person who runs it is not handed to web', () => {
  const env = { PATH: '/bin', DATABASE_URL: 'postgresql://mine', KUBECONFIG: '/mine', SEAPLANE_PORT: '1' };
  expect(cleanEnvironment(env)).toEqual({ PATH: '/bin' });
});
