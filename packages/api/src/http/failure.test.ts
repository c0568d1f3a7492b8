import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createTestApi } from '../testing/test-api.ts';
import { answerFailure } from './failure.ts';

test('[FAIL1] what is our fault is reported, and not shown', async () => {
  await using api = await createTestApi();
  await api.pool.query('ALTER TABLE team RENAME TO secret_name');
  const response = await api.get('/api/v1/teams');
  expect(response.status).toBe(500);
  expect(response.headers.get('X-Concourse-Version')).toBe('7.14.2');
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

test.each([
  ['refuses connections', Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' })],
  ['is gone from its socket', Object.assign(new Error('connect'), { code: 'ENOENT', syscall: 'connect' })],
  ['is starting', Object.assign(new Error('the database system is starting up'), { code: '57P03' })],
  ['ended the connection', new Error('Connection terminated unexpectedly')],
])('[FAIL2] while the database %s, users are told so and to try again', async (_, error) => {
  const response = await answerTo(error);
  expect(response.status).toBe(503);
  expect(await response.text()).toContain('The database cannot be reached at the moment.');
});

test('[FAIL2] a missing file is not the database’s fault', async () => {
  const missing = Object.assign(new Error('open'), { code: 'ENOENT', syscall: 'open' });
  expect((await answerTo(missing)).status).toBe(500);
});
