import { afterEach, beforeEach, expect, test } from 'vitest';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await createTestApi();
});
afterEach(() => api[Symbol.asyncDispose]());

const YAML = 'jobs: [{ name: j, plan: [] }]';
const P = '/api/v1/teams/team/pipelines';

async function names(path: string, as?: TestUser): Promise<string[]> {
  return ((await (await api.get(path, as)).json()) as { name: string }[]).map(({ name }) => name);
}

test('[API-PIPE1] everybody lists public pipelines, members those of their team, administrators all', async () => {
  await setPipeline(api, 'hidden', YAML);
  await setPipeline(api, 'shown', YAML);
  await setPipeline(api, 'theirs', YAML, { team: api.other });
  await api.put(`${P}/shown/expose`, 'member');
  expect(await names('/api/v1/pipelines')).toEqual(['shown']);
  expect(await names('/api/v1/pipelines', 'viewer')).toEqual(['hidden', 'shown']);
  expect(await names('/api/v1/pipelines', 'stranger')).toEqual(['shown', 'theirs']);
  expect(await names('/api/v1/pipelines', 'admin')).toEqual(['hidden', 'shown', 'theirs']);
  expect(await names(P)).toEqual(['shown']);
  expect(await names(P, 'stranger')).toEqual(['shown']);
  expect(await names(P, 'viewer')).toEqual(['hidden', 'shown']);
  await api.put(`${P}/shown/hide`, 'member');
  expect(await names(P)).toEqual([]);
  expect((await api.get('/api/v1/teams/none/pipelines')).status).toBe(404);
});

test('[API-PIPE2] a pipeline has its groups and times, and no empty fields', async () => {
  const { id } = await setPipeline(api, 'p', `groups: [{ name: g, jobs: [j] }]\n${YAML}`);
  const response = await api.get(`${P}/p`, 'viewer');
  expect(await response.json()).toEqual({
    id,
    name: 'p',
    paused: false,
    public: false,
    archived: false,
    team_name: 'team',
    groups: [{ name: 'g', jobs: ['j'] }],
    last_updated: expect.any(Number),
  });
});

test('[API-PIPE3] a paused pipeline shows who paused it, an unpaused one does not', async () => {
  await setPipeline(api, 'p', YAML);
  expect((await api.put(`${P}/p/pause`, 'pipeline-operator')).status).toBe(200);
  expect(await (await api.get(`${P}/p`, 'viewer')).json()).toMatchObject({
    paused: true,
    paused_by: 'pipeline-operator',
    paused_at: expect.any(Number),
  });
  expect((await api.put(`${P}/p/unpause`, 'pipeline-operator')).status).toBe(200);
  expect(await (await api.get(`${P}/p`, 'viewer')).json()).not.toHaveProperty('paused_by');
});

test('[API-PIPE4] an archived pipeline cannot be paused or unpaused', async () => {
  await setPipeline(api, 'p', YAML);
  await api.put(`${P}/p/archive`, 'member');
  for (const action of ['pause', 'unpause']) {
    const response = await api.put(`${P}/p/${action}`, 'member');
    expect(response.status).toBe(409);
    expect(await response.text()).toBe('action not allowed for an archived pipeline');
  }
  expect(await (await api.get(`${P}/p`, 'viewer')).json()).toMatchObject({ archived: true, paused: true });
});

test('[API-PIPE5] a pipeline is destroyed', async () => {
  await setPipeline(api, 'p', YAML);
  expect((await api.request('DELETE', `${P}/p`, { as: 'member' })).status).toBe(204);
  expect((await api.request('DELETE', `${P}/p`, { as: 'member' })).status).toBe(404);
  expect((await api.get(`${P}/p`, 'viewer')).status).toBe(404);
});

test('[API-PIPE6] all instances get the new name, which must not be taken', async () => {
  await setPipeline(api, 'p', YAML, { query: '?vars={"a":1}' });
  await setPipeline(api, 'p', YAML, { query: '?vars={"a":2}' });
  await setPipeline(api, 'taken', YAML, { query: '?vars={"a":2}' });
  expect((await api.put(`${P}/p/rename`, 'member', { name: 'q' })).status).toBe(200);
  expect(await names(P, 'viewer')).toEqual(['q', 'q', 'taken']);
  expect((await api.put(`${P}/p/rename`, 'member', { name: 'r' })).status).toBe(404);
  expect((await api.put(`${P}/q/rename`, 'member', { name: 'taken' })).status).toBe(400);
  expect(await (await api.put(`${P}/q/rename`, 'member', { name: 'Q' })).json()).toMatchObject({
    warnings: [{ type: 'invalid_identifier' }],
  });
});

test('[API-PIPE7] members order the pipelines of their team, and the instances of one name', async () => {
  for (const name of ['a', 'b', 'c']) await setPipeline(api, name, YAML);
  expect((await api.put(`${P}/ordering`, 'member', ['c', 'a', 'b'])).status).toBe(200);
  expect(await names(P, 'viewer')).toEqual(['c', 'a', 'b']);
  const unknown = await api.put(`${P}/ordering`, 'member', ['c', 'x']);
  expect(unknown.status).toBe(400);
  expect(await unknown.text()).toBe("pipeline 'x' not found\n");
  for (const n of [1, 2]) await setPipeline(api, 'i', YAML, { query: `?vars={"n":${n}}` });
  expect((await api.put(`${P}/i/ordering`, 'member', [{ n: 2 }, { n: 1 }])).status).toBe(200);
  const instances = (await (await api.get(P, 'viewer')).json()) as { instance_vars?: { n: number } }[];
  expect(instances.flatMap((each) => each.instance_vars?.n ?? [])).toEqual([2, 1]);
  expect((await api.put(`${P}/i/ordering`, 'member', [{ n: 3 }])).status).toBe(400);
});
