import { deleteAccessToken, recordLogin, saveAccessToken } from '@seaplane/db';
import { type Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import { ApiError } from '../../api-error.ts';
import { bearerToken, newAccessToken, tokenHash } from '../../auth/access-token.ts';
import { AUTH_COOKIE, forgetCookies } from '../../auth/authenticate.ts';
import { claimsToJson, displayName, localUserClaims } from '../../auth/claims.ts';
import { isClient } from '../../auth/clients.ts';
import { FailedLogins } from '../../auth/failed-logins.ts';
import { findLocalUser } from '../../auth/local-users.ts';
import { PasswordThreads } from '../../auth/password-threads.ts';
import { tooManyLogins } from '../../auth/too-many-logins.ts';
import type { ApiContext } from '../../context.ts';
import { readText } from '../../http/read-text.ts';
import { senderAddress } from '../../http/sender-address.ts';

const TOKEN_LIFETIME_MS = 24 * 3_600_000;
/** Everybody may send a login form, and fly's is short. */
const MAX_FORM_BYTES = 64 * 1024;
const NO_LOGIN_PAGE = 'There is no login page yet. Log in with: fly login -u USER -p PASSWORD\n';
const SCOPES = ['openid', 'offline_access', 'email', 'profile', 'groups', 'federated:id'];

/**
 * Tokens for users, by the password grant of OAuth 2 (docs/concourse/fly-api.md, section 2). The errors are worded as
 * dex words them.
 */
export function loginRoutes({ pool, clock, localUsers }: ApiContext): Hono {
  const app = new Hono();
  const failedLogins = new FailedLogins(clock);
  const threads = new PasswordThreads();
  const users = { users: localUsers, compare: threads.compare.bind(threads) };

  app.post('/sky/issuer/token', async (c) => {
    const form = new URLSearchParams(await readText(c, MAX_FORM_BYTES));
    if (form.get('grant_type') !== 'password') throw oauthError('bad-request', 'unsupported_grant_type');
    const client = clientOf(c, form);
    const scopes = (form.get('scope') ?? '').split(/\s+/).filter(Boolean);
    if (!scopes.includes('openid')) {
      throw oauthError('bad-request', 'invalid_request', 'Missing required scope(s) ["openid"].');
    }
    const unknown = scopes.filter((scope) => !SCOPES.includes(scope));
    if (unknown.length > 0) {
      const list = unknown.map((scope) => JSON.stringify(scope)).join(' ');
      throw oauthError('bad-request', 'invalid_request', `Unrecognized scope(s) [${list}]`);
    }
    const attempt = { name: form.get('username') ?? '', address: senderAddress(c) };
    const seconds = failedLogins.secondsToWait(attempt);
    if (seconds > 0) throw tooManyLogins('Too many failed logins with this name.', seconds);
    const user = await findLocalUser(users, attempt.name, form.get('password') ?? '');
    if (!user) {
      failedLogins.record(attempt);
      throw oauthError('unauthorized', 'access_denied', 'Invalid username or password');
    }
    const claims = localUserClaims(user.name, client);
    const expiresAt = new Date(clock.now().getTime() + TOKEN_LIFETIME_MS);
    const token = newAccessToken(expiresAt);
    await saveAccessToken(pool, tokenHash(token), { claims: claimsToJson(claims), expiresAt });
    await recordLogin(pool, { sub: claims.sub, username: displayName(claims), connector: claims.connector });
    return c.json({ access_token: token, token_type: 'bearer', expires_in: TOKEN_LIFETIME_MS / 1000 });
  });

  app.get('/sky/logout', async (c) => {
    const token = bearerToken(getCookie(c, AUTH_COOKIE));
    if (!token) throw new ApiError('unauthorized', '');
    await deleteAccessToken(pool, tokenHash(token));
    forgetCookies(c);
    return c.body(null, 200);
  });

  app.get('/logout', (c) => c.redirect('/sky/logout', 301));
  for (const path of ['/login', '/sky/login']) {
    app.get(path, () => {
      throw new ApiError('not-implemented', NO_LOGIN_PAGE);
    });
  }
  return app;
}

/** The client that asks for a token, by HTTP Basic or in the form. fly tries the first, then the second. */
function clientOf(c: Context, form: URLSearchParams): string {
  let [id, secret] = [form.get('client_id') ?? '', form.get('client_secret') ?? ''];
  const basic = /^basic (.*)$/i.exec(c.req.header('Authorization') ?? '')?.[1];
  if (basic !== undefined) {
    const text = Buffer.from(basic, 'base64').toString();
    const at = text.indexOf(':');
    const [encodedId, encodedSecret] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
    try {
      [id, secret] = [unescapeQuery(encodedId), unescapeQuery(encodedSecret)];
    } catch {
      throw oauthError('bad-request', 'invalid_request', 'client_id or client_secret improperly encoded');
    }
  }
  if (!isClient(id, secret)) throw oauthError('unauthorized', 'invalid_client', 'Invalid client credentials.');
  return id;
}

function unescapeQuery(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function oauthError(code: 'bad-request' | 'unauthorized', error: string, description?: string): ApiError {
  const json = { error, ...(description !== undefined && { error_description: description }) };
  return new ApiError(code, description ?? error, { json });
}
