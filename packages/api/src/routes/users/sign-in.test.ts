import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
let now = Date.now();
beforeAll(async () => {
  api = await createTestApi({ clock: { now: () => new Date(now), elapsedMs: () => now } });
});
afterAll(() => api[Symbol.asyncDispose]());

const FORM_COOKIE = 'seaplane_form=abc';

interface Sent {
  readonly form?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly of?: TestApi;
}

function signIn({ form = {}, headers = {}, of = api }: Sent = {}) {
  const body = new URLSearchParams({ login: 'member', password: 'member', form_token: 'abc', ...form }).toString();
  return of.app.request('/sky/login', { method: 'POST', headers: { Cookie: FORM_COOKIE, ...headers }, body });
}

/** The cookies that an answer sets, as the browser sends them back. */
function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

describe('the form', () => {
  test('[API-SIGN1] has the ids that programs look for, and no script', async () => {
    const response = await api.app.request('/sky/login?redirect_uri=/builds/7%23L1:2');
    expect(response.status).toBe(200);
    const text = await response.text();
    for (const id of ['login', 'password', 'submit-login']) expect(text).toContain(`id="${id}"`);
    expect(text).toContain('You will be returned to /builds/7#L1:2');
    expect(text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
    expect(response.headers.get('content-security-policy')).toBe(
      "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    );
    const style = /href="(\/sky\/sign-in\.css\?v=[0-9a-f]+)"/.exec(text)?.[1] ?? '';
    const sheet = await api.app.request(style);
    expect({ status: sheet.status, type: sheet.headers.get('content-type') }).toEqual({
      status: 200,
      type: 'text/css; charset=utf-8',
    });
  });

  test('[API-SIGN1] escapes the place and the name', async () => {
    const place = await api.app.request(`/sky/login?redirect_uri=${encodeURIComponent('/?x="><b>')}`);
    expect(await place.text()).not.toContain('<b>');
    const name = await signIn({ form: { login: '"><b>' } });
    const text = await name.text();
    expect(text).toContain('value="&quot;&gt;&lt;b&gt;"');
    expect(text).not.toContain('<b>');
  });
});

describe('signing in', () => {
  test('[API-SIGN2] starts a session and leads to the asked place', async () => {
    const response = await signIn({ form: { redirect_uri: '/builds/7?x=1#L1:2' } });
    expect({ status: response.status, location: response.headers.get('location') }).toEqual({
      status: 303,
      location: '/builds/7?x=1#L1:2',
    });
    expect(response.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^skymarshal_auth=bearer%20[^;]+; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
      expect.stringMatching(/^skymarshal_csrf=[0-9a-f]{64}; Max-Age=86400; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    ]);
    const user = await api.app.request('/api/v1/user', { headers: { Cookie: cookiesOf(response) } });
    expect(await user.json()).toMatchObject({ name: 'member' });
  });

  test('[API-SIGN2] the cookies are not Secure where users come by http', async () => {
    await using plain = await createTestApi({ externalUrl: 'http://localhost:8080' });
    const response = await signIn({ of: plain });
    expect(response.status).toBe(303);
    expect(response.headers.getSetCookie().join()).not.toContain('Secure');
  });

  test('[API-SIGN3] never leads to another server', async () => {
    for (const place of ['https://evil.example', '//evil.example', '/%2fevil.example', '/\\evil.example']) {
      const response = await signIn({ form: { redirect_uri: place } });
      expect(response.headers.get('location')).toBe('/');
    }
  });

  test('[API-SIGN4] a wrong password shows the form again, with the name', async () => {
    const response = await signIn({ form: { password: 'hunter2', redirect_uri: '/builds/7' } });
    expect(response.status).toBe(401);
    expect(cookiesOf(response)).toBe(FORM_COOKIE);
    const text = await response.text();
    expect(text).toContain('The username or the password is wrong.');
    expect(text).toContain('value="member"');
    expect(text).toContain('value="/builds/7"');
    expect(text).not.toContain('hunter2');
  });

  test('[API-SIGN4] attempts count together with those of fly', async () => {
    for (let i = 0; i < 10; i += 1) await signIn({ form: { login: 'owner', password: 'wrong' } });
    const refused = await signIn({ form: { login: 'owner', password: 'owner' } });
    expect({ status: refused.status, after: refused.headers.get('retry-after') }).toEqual({ status: 429, after: '60' });
    expect(await refused.text()).toContain('Too many failed logins with this name. Try again in 60 seconds.');
    const fly = await api.app.request('/sky/issuer/token', {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa('fly:Zmx5')}` },
      body: 'grant_type=password&scope=openid&username=owner&password=owner',
    });
    expect(fly.status).toBe(429);
    now += 60_000;
    expect((await signIn({ form: { login: 'owner', password: 'owner' } })).status).toBe(303);
  });

  test.for([
    { what: 'without the cookie', sent: { headers: { Cookie: '' } } },
    { what: 'without the token', sent: { form: { form_token: '' } } },
    {
      what: 'with an empty cookie and an empty token',
      sent: { headers: { Cookie: 'seaplane_form=' }, form: { form_token: '' } },
    },
    { what: 'with another token', sent: { form: { form_token: 'abd' } } },
    { what: 'from another site', sent: { headers: { 'Sec-Fetch-Site': 'cross-site' } } },
  ])('[API-SIGN5] a form $what signs nobody in', async ({ sent }) => {
    const response = await signIn(sent);
    expect(response.status).toBe(400);
    expect(response.headers.getSetCookie().join()).not.toContain('skymarshal');
    expect(await response.text()).toContain('This form is too old. Sign in once more.');
  });

  test('[API-SIGN5] the form that the page shows signs in', async () => {
    const page = await api.app.request('/sky/login');
    const form_token = /name="form_token" value="([0-9a-f]{64})"/.exec(await page.text())?.[1] ?? '';
    expect(page.headers.getSetCookie().join()).toMatch(
      /^seaplane_form=[0-9a-f]{64}; Path=\/sky; HttpOnly; Secure; SameSite=Strict$/,
    );
    const response = await signIn({ form: { form_token }, headers: { Cookie: cookiesOf(page) } });
    expect(response.status).toBe(303);
  });

  test('[API-SIGN6] somebody who is signed in is led on', async () => {
    const Cookie = cookiesOf(await signIn());
    const response = await api.app.request('/sky/login?redirect_uri=/builds/7', { headers: { Cookie } });
    expect({ status: response.status, location: response.headers.get('location') }).toEqual({
      status: 302,
      location: '/builds/7',
    });
    const old = await api.app.request('/sky/login', { headers: { Cookie: 'skymarshal_auth="bearer old"' } });
    expect(old.status).toBe(200);
  });
});

describe('GET /sky/logout', () => {
  const logOut = (headers: Record<string, string>) => api.app.request('/sky/logout', { headers });

  test('[API-LOGIN4] ends the token in the cookie, which fly writes in quotes', async () => {
    const token = await api.token('viewer');
    const headers = { Authorization: `Bearer ${token}` };
    expect((await api.app.request('/api/v1/user', { headers })).status).toBe(200);
    const response = await logOut({ Cookie: `skymarshal_auth="Bearer ${token}"` });
    expect(response.status).toBe(200);
    expect(response.headers.getSetCookie().join()).toMatch(/skymarshal_auth=; Max-Age=0.*skymarshal_csrf=; Max-Age=0/);
    expect((await api.app.request('/api/v1/user', { headers })).status).toBe(401);
  });

  test('[API-LOGIN4] is refused without a cookie, or with one that holds no token', async () => {
    expect((await logOut({})).status).toBe(401);
    expect((await logOut({ Cookie: 'skymarshal_auth="Bearer"' })).status).toBe(401);
  });

  test('[API-LOGIN4] leads a browser to the start, signed in or not', async () => {
    const Cookie = cookiesOf(await signIn());
    for (const headers of [{ Cookie }, {}]) {
      const response = await logOut({ Accept: 'text/html,*/*', ...headers });
      expect({ status: response.status, location: response.headers.get('location') }).toEqual({
        status: 302,
        location: '/',
      });
    }
    expect((await api.app.request('/api/v1/user', { headers: { Cookie } })).status).toBe(401);
  });
});

test.for([
  ['/login', 302, '/sky/login'],
  ['/login?fly_port=1234', 302, '/sky/login?redirect_uri=%2Ffly_success%3Ffly_port%3D1234'],
  ['/login?redirect_uri=%2Fbuilds%2F7', 302, '/sky/login?redirect_uri=%2Fbuilds%2F7'],
  ['/logout', 301, '/sky/logout'],
] as const)('[API-LOGIN5] %s leads on', async ([path, status, location]) => {
  const response = await api.app.request(path);
  expect({ status: response.status, location: response.headers.get('location') }).toEqual({ status, location });
});

describe('the session', () => {
  test('[API-SIGN7] has the user, the CSRF token and the end', async () => {
    const Cookie = cookiesOf(await signIn());
    const session = await api.app.request('/api/v1/seaplane/session', { headers: { Cookie } });
    const answer = (await session.json()) as { csrf_token: string; expires_at: number };
    expect(answer).toMatchObject({ user: { name: 'member', teams: { team: ['member'] } }, cluster_name: 'test' });
    expect(answer.expires_at).toBe(Math.floor(now / 1000) + 86_400);
    const change = (headers: Record<string, string>) =>
      api.app.request('/api/v1/seaplane/fly-token', { method: 'POST', headers });
    expect((await change({ Cookie })).status).toBe(401);
    expect((await change({ Cookie, 'X-Csrf-Token': answer.csrf_token })).status).toBe(200);
  });

  test('[API-SIGN7] the user is null if nobody is signed in', async () => {
    const session = await api.app.request('/api/v1/seaplane/session');
    expect(await session.json()).toEqual({ user: null, cluster_name: 'test' });
  });

  test('[API-SIGN8] gives fly a token of its own, which ends with the session', async () => {
    const before = await api.token('pipeline-operator');
    now += 3_600_000;
    const response = await api.post('/api/v1/seaplane/fly-token', 'pipeline-operator');
    const { token } = (await response.json()) as { token: string };
    const own = token.split(' ')[1] ?? '';
    expect(own).not.toBe(before);
    const endOf = (text: string) => Buffer.from(text, 'base64').readBigUInt64LE(20);
    expect(endOf(own)).toBe(endOf(before));
    const user = await api.app.request('/api/v1/user', { headers: { Authorization: token } });
    expect(await user.json()).toMatchObject({ name: 'pipeline-operator' });
  });
});
