import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

const BASIC = { Authorization: `Basic ${btoa('fly:Zmx5')}` };
const GOOD = {
  grant_type: 'password',
  username: 'member',
  password: 'member',
  scope: 'openid profile email federated:id groups',
};

async function ask(form: Record<string, string>, headers: Record<string, string> = BASIC) {
  const body = new URLSearchParams(form).toString();
  const response = await api.app.request('/sky/issuer/token', { method: 'POST', headers, body });
  const answer = (await response.json()) as { access_token: string };
  return { status: response.status, type: response.headers.get('content-type'), body: answer };
}

describe('POST /sky/issuer/token', () => {
  test('[API-LOGIN1] a password gives a bearer token for a day, which the API accepts', async () => {
    const { status, type, body } = await ask(GOOD);
    expect({ status, type }).toEqual({ status: 200, type: 'application/json' });
    expect(body).toEqual({ access_token: expect.any(String), token_type: 'bearer', expires_in: 86_400 });
    const expiry = Number(Buffer.from(body.access_token, 'base64').readBigUInt64LE(20)) * 1000;
    expect(Math.abs(expiry - Date.now() - 86_400_000)).toBeLessThan(60_000);
    const response = await api.app.request('/api/v1/user', {
      headers: { Authorization: `Bearer ${body.access_token}` },
    });
    expect(await response.json()).toMatchObject({ name: 'member', teams: { team: ['member'] } });
  });

  test('[API-LOCAL3] a user who types the name in another case is known under the configured name', async () => {
    const { body } = await ask({ ...GOOD, username: 'MEMBER' });
    const response = await api.app.request('/api/v1/user', {
      headers: { Authorization: `Bearer ${body.access_token}` },
    });
    expect(await response.json()).toMatchObject({ name: 'member', teams: { team: ['member'] } });
  });

  test('[API-TOKEN2] a hash from the database is not a token', async () => {
    const { body } = await ask(GOOD);
    const { rows } = await api.pool.query<{ hash: string }>('SELECT hash FROM access_token');
    expect(rows.length).toBeGreaterThan(0);
    for (const { hash } of rows) {
      expect(hash).not.toContain(body.access_token);
      const response = await api.app.request('/api/v1/user', { headers: { Authorization: `Bearer ${hash}` } });
      expect(response.status).toBe(401);
    }
  });

  test('[API-LOGIN2] fly may name itself in the form, or by HTTP Basic with escaped characters', async () => {
    expect((await ask({ ...GOOD, client_id: 'fly', client_secret: 'Zmx5' }, {})).status).toBe(200);
    expect((await ask(GOOD, { Authorization: `Basic ${btoa('%66ly:Zmx5')}` })).status).toBe(200);
  });

  test.each([
    ['an unknown client', { Authorization: `Basic ${btoa('curl:Zmx5')}` }],
    ['a wrong secret', { Authorization: `Basic ${btoa('fly:fly')}` }],
    ['no client', {}],
    ['a client from Object.prototype', { Authorization: `Basic ${btoa('constructor:')}` }],
  ])('[API-LOGIN3] %s is refused', async (_, headers) => {
    expect(await ask(GOOD, headers as Record<string, string>)).toMatchObject({
      status: 401,
      body: { error: 'invalid_client', error_description: 'Invalid client credentials.' },
    });
  });

  test.each([
    ['a wrong password', { password: 'owner' }],
    ['an unknown user', { username: 'nobody' }],
    ['no password', { password: '' }],
  ])('[API-LOGIN3] %s is refused', async (_, wrong) => {
    expect(await ask({ ...GOOD, ...wrong })).toMatchObject({
      status: 401,
      body: { error: 'access_denied', error_description: 'Invalid username or password' },
    });
  });

  test.each([
    ['no openid', { scope: 'profile' }, 'Missing required scope(s) ["openid"].'],
    ['a scope nobody knows', { scope: 'openid root sudo' }, 'Unrecognized scope(s) ["root" "sudo"]'],
  ])('[API-LOGIN3] %s is refused', async (_, wrong, description) => {
    expect(await ask({ ...GOOD, ...wrong })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: description },
    });
  });

  test('[API-LOGIN3] there is no other grant', async () => {
    expect(await ask({ ...GOOD, grant_type: 'authorization_code' })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    });
  });
});

describe('[API-LOGIN8] failed logins', () => {
  let now = Date.now();
  let limited: TestApi;
  beforeAll(async () => {
    limited = await createTestApi({ clock: { now: () => new Date(now), elapsedMs: () => now } });
  });
  afterAll(() => limited[Symbol.asyncDispose]());

  const logIn = (username: string, password: string, remoteAddress = '10.0.0.1') => {
    const body = new URLSearchParams({ ...GOOD, username, password }).toString();
    const connection = { incoming: { socket: { remoteAddress } } };
    return limited.app.request('/sky/issuer/token', { method: 'POST', headers: BASIC, body }, connection);
  };

  test.each(['member', 'nobody'])(
    'the eleventh attempt of %s in a minute is refused, even if it is right',
    async (name) => {
      for (let i = 0; i < 10; i += 1) expect((await logIn(name, 'wrong')).status).toBe(401);
      now += 20_000;
      const refused = await logIn(name.toUpperCase(), name);
      expect({ status: refused.status, after: refused.headers.get('Retry-After') }).toEqual({
        status: 429,
        after: '40',
      });
      expect(await refused.json()).toEqual({
        error: 'temporarily_unavailable',
        error_description: 'Too many failed logins with this name. Try again in 40 seconds.',
      });
      now += 40_000;
      expect((await logIn(name, name)).status).toBe(name === 'member' ? 200 : 401);
    },
  );

  test('another name or another address is not affected', async () => {
    for (let i = 0; i < 11; i += 1) await logIn('viewer', 'wrong');
    expect((await logIn('viewer', 'viewer')).status).toBe(429);
    expect((await logIn('owner', 'owner')).status).toBe(200);
    expect((await logIn('viewer', 'viewer', '10.0.0.2')).status).toBe(200);
  });

  test('right passwords are not counted', async () => {
    for (let i = 0; i < 12; i += 1) expect((await logIn('owner', 'owner', '10.0.0.3')).status).toBe(200);
  });
});

test('[API-LOGIN6] administrators list the users who have logged in since a day', async () => {
  await api.token('viewer');
  const users = (await (await api.get('/api/v1/users', 'admin')).json()) as { username: string }[];
  expect(users.find(({ username }) => username === 'viewer')).toEqual({
    id: expect.any(Number),
    username: 'viewer',
    connector: 'local',
    last_login: expect.any(Number),
    sub: 'CgZ2aWV3ZXISBWxvY2Fs',
  });
  expect(await (await api.get('/api/v1/users?since=2999-01-01', 'admin')).json()).toEqual([]);
  const wrong = await api.get('/api/v1/users?since=2026-02-31', 'admin');
  expect(wrong.status).toBe(400);
  expect(await wrong.json()).toEqual({ error: 'wrong date format (yyyy-mm-dd)' });
});
