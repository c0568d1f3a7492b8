import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { bearerToken } from './access-token.ts';
import type { IssuedToken } from './logins.ts';
import { isSameSecret } from './same-secret.ts';

// The cookies of a browser's session, under Concourse's names (skymarshal/token). Scripts cannot read them.
const AUTH_COOKIE = 'skymarshal_auth';
const CSRF_COOKIE = 'skymarshal_csrf';
const ATTRIBUTES = { path: '/', httpOnly: true, sameSite: 'Lax' } as const;

/** Starts a session in the browser that sent the request. */
export function startSession(c: Context, { token, lifetimeSeconds }: IssuedToken, isHttps: boolean): void {
  const attributes = { ...ATTRIBUTES, secure: isHttps, maxAge: lifetimeSeconds };
  setCookie(c, AUTH_COOKIE, `bearer ${token}`, attributes);
  setCookie(c, CSRF_COOKIE, randomBytes(32).toString('hex'), attributes);
}

/** Makes the browser delete its session. */
export function forgetSession(c: Context): void {
  for (const name of [AUTH_COOKIE, CSRF_COOKIE]) deleteCookie(c, name, ATTRIBUTES);
}

/** The cookie's text, which counts as an `Authorization` header. */
export function sessionHeader(c: Context): string | undefined {
  return getCookie(c, AUTH_COOKIE);
}

/** The token that a request comes with, in its header or its cookie. */
export function tokenOf(c: Context): string | undefined {
  return bearerToken(c.req.header('Authorization') || sessionHeader(c)) ?? undefined;
}

/** The text that the header `X-Csrf-Token` must repeat. */
export function csrfToken(c: Context): string | undefined {
  return getCookie(c, CSRF_COOKIE);
}

/** Whether a request repeats the CSRF token of its cookie, which pages of other sites cannot read. */
export function hasCsrfToken(c: Context): boolean {
  const sent = c.req.header('X-Csrf-Token') ?? '';
  return sent !== '' && isSameSecret(sent, csrfToken(c) ?? '');
}
