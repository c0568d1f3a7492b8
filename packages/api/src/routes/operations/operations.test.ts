import { registerComponent } from '@seaplane/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const wall = async () => (await api.get('/api/v1/wall')).json();

test('[API-WALL1] administrators set a message to all users, for a time or until it is cleared', async () => {
  expect(await wall()).toEqual({});
  expect((await api.put('/api/v1/wall', 'admin', { message: 'hello' })).status).toBe(200);
  expect(await wall()).toEqual({ message: 'hello' });
  expect((await api.put('/api/v1/wall', 'admin', { message: 'bye', TTL: 3_600_000_000_000 })).status).toBe(200);
  const { message, TTL } = (await wall()) as { message: string; TTL: number };
  expect(message).toBe('bye');
  expect(Number.isInteger(TTL)).toBe(true);
  expect(TTL / 1e9).toBeGreaterThan(3000);
  expect(TTL / 1e9).toBeLessThanOrEqual(3600);
  expect((await api.request('DELETE', '/api/v1/wall', { as: 'admin' })).status).toBe(200);
  expect(await wall()).toEqual({});
});

test('[API-WALL2] other users cannot set a message, and it cannot be empty', async () => {
  expect((await api.put('/api/v1/wall', 'owner', { message: 'x' })).status).toBe(403);
  const empty = await api.put('/api/v1/wall', 'admin', { message: '' });
  expect(empty.status).toBe(400);
  expect(await empty.text()).toBe('Wall message cannot be empty');
});

test('[API-COMP1] administrators list the loops, and pause one or all', async () => {
  for (const name of ['scheduler', 'tracker']) await registerComponent(api.pool, name, 10_000);
  const components = async () =>
    (await (await api.get('/api/v1/components', 'admin')).json()) as { name: string; paused: boolean }[];
  const paused = async () => (await components()).filter((each) => each.paused).map(({ name }) => name);
  expect((await components())[0]).toEqual({
    name: 'scheduler',
    interval: 10_000_000_000,
    last_ran: '0001-01-01T00:00:00Z',
    paused: false,
  });
  expect((await api.put('/api/v1/components/tracker/pause', 'admin')).status).toBe(200);
  expect(await paused()).toEqual(['tracker']);
  expect((await api.put('/api/v1/components/pause', 'admin')).status).toBe(200);
  expect(await paused()).toEqual(['scheduler', 'tracker']);
  expect((await api.put('/api/v1/components/unpause', 'admin')).status).toBe(200);
  expect(await paused()).toEqual([]);
  expect((await api.put('/api/v1/components/all/pause', 'admin')).status).toBe(404);
  expect((await api.get('/api/v1/components', 'owner')).status).toBe(403);
});
