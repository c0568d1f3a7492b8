import { expect, test } from 'vitest';
import { createApi } from '../api.ts';
import { createTestApi } from '../testing/test-api.ts';
import { ACTION_ROLES } from './actions.ts';
import { customRoles } from './custom-roles.ts';

test('[API-ROLE6] an operator changes which role an action needs', async () => {
  await using api = await createTestApi();
  const app = createApi({
    ...api.context,
    actionRoles: customRoles({ viewer: ['CreateBuild'], owner: ['ListContainers'] }),
  });
  const status = async (method: string, path: string, user: 'viewer' | 'member' | 'owner') => {
    const headers = { Authorization: `Bearer ${await api.token(user)}` };
    return (await app.request(`/api/v1/teams/team${path}`, { method, headers, body: method === 'GET' ? null : '{' }))
      .status;
  };
  expect(await status('POST', '/builds', 'viewer')).toBe(400); // the body is read only after the guard
  expect((await api.post('/api/v1/teams/team/builds', 'viewer')).status).toBe(403);
  expect(await status('GET', '/containers', 'member')).toBe(403);
  expect(await status('GET', '/containers', 'owner')).toBe(200);
});

test('[API-ROLE6] actions without a role may be named, and change nothing', () => {
  expect(customRoles({ owner: ['GetWall', 'DestroyTeam'] })).toEqual(ACTION_ROLES);
});

test.each([
  [[], 'it must be a map of lists of actions, by the name of a role'],
  [null, 'it must be a map of lists of actions, by the name of a role'],
  [{ king: [] }, 'unknown role king'],
  [{ owner: 'SaveConfig' }, 'the actions of owner must be a list'],
  [{ owner: ['Fly'] }, 'unknown action Fly'],
  [{ owner: ['toString'] }, 'unknown action toString'],
])('[API-ROLE6] %j is refused', (changes, message) => {
  expect(() => customRoles(changes)).toThrow(message);
});
