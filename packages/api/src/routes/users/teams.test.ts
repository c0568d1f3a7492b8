import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await createTestApi();
});
afterEach(() => api[Symbol.asyncDispose]());

const namesFor = async (user?: 'admin' | 'viewer' | 'stranger') =>
  ((await (await api.get('/api/v1/teams', user)).json()) as { name: string }[]).map(({ name }) => name);

test('[API-TEAM1] users list the teams in which they have a role, administrators all, others none', async () => {
  expect(await namesFor('admin')).toEqual(['main', 'team', 'other']);
  expect(await namesFor('viewer')).toEqual(['team']);
  expect(await namesFor()).toEqual([]);
});

test('[API-TEAM2] a member reads the team and its roles', async () => {
  const response = await api.get('/api/v1/teams/other', 'stranger');
  expect(await response.json()).toEqual({
    id: api.other.id,
    name: 'other',
    auth: { owner: { users: ['local:stranger'] } },
  });
});

test('[API-TEAM2] only administrators learn that a team does not exist', async () => {
  expect((await api.get('/api/v1/teams/none', 'admin')).status).toBe(404);
  expect((await api.get('/api/v1/teams/none', 'viewer')).status).toBe(403);
  expect((await api.get('/api/v1/teams/other', 'viewer')).status).toBe(403);
});

describe('PUT /api/v1/teams/:team', () => {
  const auth = { owner: { users: ['local:bob'], groups: [] } };

  test('[API-TEAM3] an administrator creates a team', async () => {
    const response = await api.put('/api/v1/teams/new', 'admin', { auth });
    expect(response.status).toBe(201);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ team: { id: expect.any(Number), name: 'new', auth } });
    expect(await namesFor('admin')).toContain('new');
  });

  test('[API-TEAM3] an owner sets the roles of the team, and cannot create one', async () => {
    const changed = await api.put('/api/v1/teams/team', 'owner', { auth });
    expect(changed.status).toBe(200);
    expect(await changed.json()).toEqual({ team: { id: api.team.id, name: 'team', auth } });
    expect((await api.put('/api/v1/teams/new', 'owner', { auth })).status).toBe(403);
    expect((await api.put('/api/v1/teams/other', 'member', { auth })).status).toBe(403);
  });

  test('[API-TEAM3] an empty list may be left out or null', async () => {
    const sent = { auth: { owner: { users: ['local:bob'], groups: null }, viewer: { groups: ['local:crew'] } } };
    expect((await api.put('/api/v1/teams/new', 'admin', sent)).status).toBe(201);
  });

  test.each([
    ['nothing', {}, 'the body is not understood: auth: '],
    ['no roles', { auth: {} }, 'auth config for the team must not be empty'],
    ['a role of nobody', { auth: { owner: {} } }, 'auth config for the team does not have users and groups configured'],
    ['an unknown role', { auth: { king: { users: ['local:x'] } } }, 'king'],
    ['no JSON', 'auth', 'the body is not JSON'],
  ])('[API-TEAM4] %s is refused', async (_, body, message) => {
    const response = await api.put('/api/v1/teams/new', 'admin', body);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(message);
  });

  test('[API-TEAM5] a name that is not a valid identifier gets a warning', async () => {
    const response = await api.put('/api/v1/teams/New', 'admin', { auth });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ warnings: [{ type: 'invalid_identifier' }] });
  });
});

test('[API-TEAM6] owners rename their team, but not to a name that is taken', async () => {
  expect((await api.put('/api/v1/teams/team/rename', 'owner', { name: 'crew' })).status).toBe(200);
  expect(await namesFor('viewer')).toEqual(['crew']);
  const taken = await api.put('/api/v1/teams/crew/rename', 'owner', { name: 'other' });
  expect(taken.status).toBe(400);
  expect(await taken.text()).toContain("cannot be renamed to 'other'");
  expect((await api.put('/api/v1/teams/crew/rename', 'owner', { name: '' })).status).toBe(400);
});

test('[API-TEAM7] administrators destroy teams, but not the last admin team', async () => {
  expect((await api.request('DELETE', '/api/v1/teams/other', { as: 'owner' })).status).toBe(403);
  expect((await api.request('DELETE', '/api/v1/teams/other', { as: 'admin' })).status).toBe(204);
  expect((await api.request('DELETE', '/api/v1/teams/other', { as: 'admin' })).status).toBe(404);
  const last = await api.request('DELETE', '/api/v1/teams/main', { as: 'admin' });
  expect(last.status).toBe(403);
  expect(await last.text()).toContain('last');
});
