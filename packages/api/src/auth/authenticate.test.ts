import { saveAccessToken } from '@seaplane/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../testing/test-api.ts';
import { tokenHash } from './access-token.ts';
import { claimsToJson, localUserClaims } from './claims.ts';

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const get = (headers: Record<string, string>) => api.app.request('/api/v1/user', { headers });

test('[API-AUTH1] only a token that the API issued is good', async () => {
  const token = await api.token('viewer');
  expect((await get({ Authorization: `bEaReR ${token}` })).status).toBe(200);
  for (const header of [`Basic ${token}`, token, 'Bearer nonsense', `Bearer ${token} x`]) {
    const response = await get({ Authorization: header });
    expect(response.status).toBe(401);
    expect(await response.text()).toBe('not authorized');
  }
});

test('[API-AUTH1] a token is good until it expires', async () => {
  const claims = claimsToJson(localUserClaims('viewer', 'fly'));
  await saveAccessToken(api.pool, tokenHash('old'), { claims, expiresAt: new Date(Date.now() - 1000) });
  await saveAccessToken(api.pool, tokenHash('new'), { claims, expiresAt: new Date(Date.now() + 3_600_000) });
  expect((await get({ Authorization: 'Bearer old' })).status).toBe(401);
  expect((await get({ Authorization: 'Bearer new' })).status).toBe(200);
});

test('[API-AUTH1] the token of a client that is no longer known is not good', async () => {
  const claims = claimsToJson(localUserClaims('viewer', 'former'));
  await saveAccessToken(api.pool, tokenHash('former'), { claims, expiresAt: new Date(Date.now() + 3_600_000) });
  expect((await get({ Authorization: 'Bearer former' })).status).toBe(401);
});

test('[API-AUTH2] a token that is not good is refused even where no token is needed', async () => {
  const response = await api.app.request('/api/v1/info', { headers: { Authorization: 'Bearer nonsense' } });
  expect(response.status).toBe(401);
});

test('[API-AUTH3] a cookie counts as the header if there is no header', async () => {
  const cookie = `skymarshal_auth="bearer ${await api.token('viewer')}"`;
  expect(await (await get({ Cookie: cookie })).json()).toMatchObject({ name: 'viewer' });
  const both = await get({ Cookie: cookie, Authorization: `Bearer ${await api.token('owner')}` });
  expect(await both.json()).toMatchObject({ name: 'owner' });
});

test('[API-AUTH4] a request that changes something needs the CSRF token beside its cookie', async () => {
  const auth = `skymarshal_auth="bearer ${await api.token('admin')}"`;
  const change = (headers: Record<string, string>) =>
    api.app.request('/api/v1/teams/team/rename', { method: 'PUT', body: '{"name":"team"}', headers });
  expect((await change({ Cookie: auth })).status).toBe(401);
  expect((await change({ Cookie: auth, 'X-Csrf-Token': '' })).status).toBe(401);
  expect((await change({ Cookie: `${auth}; skymarshal_csrf=abc`, 'X-Csrf-Token': 'abd' })).status).toBe(401);
  expect((await change({ Cookie: `${auth}; skymarshal_csrf=abc`, 'X-Csrf-Token': 'abc' })).status).toBe(200);
});

test('[API-AUTH4] the answer that refuses a cookie deletes it', async () => {
  const response = await get({ Cookie: 'skymarshal_auth="bearer nonsense"' });
  expect(response.status).toBe(401);
  expect(response.headers.getSetCookie()).toEqual([
    expect.stringMatching(/^skymarshal_auth=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax/),
    expect.stringMatching(/^skymarshal_csrf=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax/),
  ]);
});
