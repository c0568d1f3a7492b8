import { findAccessToken, listTeams, type Queryable } from '@seaplane/db';
import type { Context, MiddlewareHandler } from 'hono';
import { deleteCookie, getCookie } from 'hono/cookie';
import { bearerToken, tokenHash } from './access-token.ts';
import { claimsFromJson } from './claims.ts';
import { isKnownClient } from './clients.ts';
import { unauthorized } from './refusals.ts';
import { type Requester, userOf } from './requester.ts';
import { isSameSecret } from './same-secret.ts';

/** What every handler may ask: who sends the request. */
export type ApiEnv = { Variables: { requester: Requester } };

export const AUTH_COOKIE = 'skymarshal_auth';
const CSRF_COOKIE = 'skymarshal_csrf';

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Finds out who sends a request, by its bearer token or the cookie that holds one. What the requester may do is for the
 * guards to say. A browser sends its cookie whoever made it send the request, so one that changes something must carry
 * the token against forgery, too.
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

/** The requester that an `Authorization` header speaks for. */
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

/** Has the browser forget a token that is no good. */
export function forgetCookies(c: Context): void {
  for (const name of [AUTH_COOKIE, CSRF_COOKIE]) deleteCookie(c, name, { path: '/', httpOnly: true, sameSite: 'Lax' });
}
