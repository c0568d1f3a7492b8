import { DbError } from '@seaplane/db';
import { Hono } from 'hono';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../testing/test-api.ts';
import { answerFailure } from './answer-failure.ts';

test('[API-FAIL1] an error that the sender cannot mend is reported, and not shown', async () => {
  await using api = await createTestApi();
  await api.pool.query('ALTER TABLE team RENAME TO secret_name');
  const response = await api.get('/api/v1/teams');
  expect(response.status).toBe(500);
  expect(response.headers.get('X-Concourse-Version')).toBe('8.2.5');
  expect(await response.text()).not.toContain('team');
  expect(String(api.failures[0])).toContain('relation "team" does not exist');
});

async function answerTo(error: Error): Promise<Response> {
  const app = new Hono();
  app.onError((thrown, c) => answerFailure(c, thrown, () => {}));
  app.get('/', () => {
    throw error;
  });
  return app.request('/');
}

test('[API-FAIL2] while the database cannot be reached, the answer is 503 with that reason', async () => {
  const response = await answerTo(new DbError('connection-lost', 'The connection to the database was lost: connect'));
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('The database cannot be reached at the moment.');
});

test('[API-FAIL2] while all connections to the database are in use, the answer is 503 with that reason', async () => {
  const response = await answerTo(new DbError('pool-busy', 'All connections are in use. Try again soon.'));
  expect({ status: response.status, after: response.headers.get('Retry-After') }).toEqual({ status: 503, after: '5' });
  expect(await response.text()).toBe('All connections are in use. Try again soon.');
});

describe('requests', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await createTestApi();
  });
  afterAll(() => api[Symbol.asyncDispose]());

  test.each([
    ['a team', '/api/v1/teams/a%00b/pipelines'],
    ['an instance', '/api/v1/teams/team/pipelines/p?vars.a=%22%5Cu0000%22'],
    ['an artifact', '/api/v1/teams/team/artifacts/99999999999'],
    ['a time', '/api/v1/builds?to=9999999999999&timestamps=true'],
  ])('[API-FAIL3] %s that cannot be stored is answered with 400', async (_, path) => {
    const response = await api.get(path, 'admin');
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('the database cannot store');
    expect(api.failures).toEqual([]);
  });

  test.each([
    ['POST', '/sky/issuer/token', 64 * 1024],
    ['PUT', '/api/v1/teams/team/pipelines/p/config', 4 * 1024 * 1024],
    ['PUT', '/api/v1/teams/team', 16 * 1024 * 1024],
  ])('[API-FAIL4] %s %s refuses a body that is too large', async (method, path, limit) => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += limit / 4;
        controller.enqueue(new Uint8Array(limit / 4).fill(32));
      },
    });
    const headers = { Authorization: `Bearer ${await api.token('admin')}`, 'Content-Type': 'application/x-yaml' };
    const request = { method, headers, body: endless, duplex: 'half' };
    const response = await api.app.request(path, request as RequestInit);
    expect(response.status).toBe(413);
    expect(await response.text()).toContain(`the body is larger than the limit of ${limit} bytes`);
    expect(sent).toBeLessThan(2 * limit);
  });
});

test('[API-FAIL2] a missing file is not reported as a missing database', async () => {
  const missing = Object.assign(new Error('open'), { code: 'ENOENT', syscall: 'open' });
  expect((await answerTo(missing)).status).toBe(500);
});
