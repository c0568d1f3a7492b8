import { findAccessToken, listTeams, type Queryable } from '@seaplane/db';
import type { MiddlewareHandler } from 'hono';
import { bearerToken, tokenHash } from './access-token.ts';
import { ACTION_ROLES, type ActionRoles } from './actions.ts';
import { claimsFromJson } from './claims.ts';
import { isKnownClient } from './clients.ts';
import { unauthorized } from './refusals.ts';
import { type Requester, userOf } from './requester.ts';
import { forgetSession, hasCsrfToken, sessionHeader } from './session-cookies.ts';

/** The variables of every handler. */
export type ApiEnv = { Variables: { requester: Requester } };

interface Authentication {
  readonly pool: Queryable;
  readonly actionRoles?: ActionRoles;
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

/**
 * Finds the requester by the bearer token in the header or in the cookie. The guards then decide what the requester may
 * do. A browser sends its cookie also with requests that another site made it send, so a request that changes something
 * must carry the CSRF token, too.
 */
export function authenticate({ pool, actionRoles }: Authentication): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const cookie = sessionHeader(c);
    if (cookie !== undefined && !SAFE_METHODS.includes(c.req.method) && !hasCsrfToken(c)) {
      forgetSession(c);
      throw unauthorized();
    }
    c.set('requester', await identify(pool, c.req.header('Authorization') || cookie, actionRoles));
    await next();
    if (cookie !== undefined && c.res.status === 401) forgetSession(c);
  };
}

/** The requester whose token an `Authorization` header holds. */
export async function identify(
  db: Queryable,
  header: string | undefined,
  actionRoles: ActionRoles = ACTION_ROLES,
): Promise<Requester> {
  const token = bearerToken(header);
  if (token === undefined) return { kind: 'anonymous' };
  const saved = token === null ? undefined : await findAccessToken(db, tokenHash(token));
  if (!saved) return { kind: 'rejected' };
  const claims = claimsFromJson(saved);
  if (!isKnownClient(claims.audience)) return { kind: 'rejected' };
  return userOf(claims, await listTeams(db), actionRoles);
}
