import { findAccessToken, listTeams, type Queryable } from '@seaplane/db';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie } from 'hono/cookie';
import { bearerToken, tokenHash } from './access-token.ts';
import { claimsFromJson } from './claims.ts';
import { isKnownClient } from './clients.ts';
import { unauthorized } from './refusals.ts';
import { type Requester, userOf } from './requester.ts';
import { isSameSecret } from './same-secret.ts';

/** The variables of every handler. */
export type ApiEnv = { Variables: { requester: Requester } };

export const AUTH_COOKIE = 'skymarshal_auth';
const CSRF_COOKIE = 'skymarshal_csrf';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Finds the requester by the bearer token in the header or in the cookie. The guards then decide what the requester may
 * do. A browser sends its cookie also with requests that another site made it send, so a request that changes something
 * must carry the CSRF token, too.
 */
export function authenticate({ pool }: { readonly pool: Queryable }): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const cookie = getCookie(c, AUTH_COOKIE);
    if (cookie !== undefined && !SAFE_METHODS.includes(c.req.method) && !hasCsrfToken(c)) {
      forgetCookies(c);
      throw unauthorized();
    }
    c.set('requester', await identify(pool, c.req.header('Authorization') || cookie));
    await next();
    if (cookie !== undefined && c.res.status === 401) forgetCookies(c);
  };
}

/** The requester whose token an `Authorization` header holds. */
async function identify(db: Queryable, header: string | undefined): Promise<Requester> {
  const token = bearerToken(header);
  if (token === undefined) return { kind: 'anonymous' };
  const saved = token === null ? undefined : await findAccessToken(db, tokenHash(token));
  if (!saved) return { kind: 'rejected' };
  const claims = claimsFromJson(saved);
  if (!isKnownClient(claims.audience)) return { kind: 'rejected' };
  return userOf(claims, await listTeams(db));
}

function hasCsrfToken(c: Context): boolean {
  const sent = c.req.header('X-Csrf-Token') ?? '';
  return sent !== '' && isSameSecret(sent, getCookie(c, CSRF_COOKIE) ?? '');
}

/** Makes the browser delete a token that is not good. */
export function forgetCookies(c: Context): void {
  for (const name of [AUTH_COOKIE, CSRF_COOKIE]) deleteCookie(c, name, { path: '/', httpOnly: true, sameSite: 'Lax' });
}
