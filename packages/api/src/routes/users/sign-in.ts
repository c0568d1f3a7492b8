import { randomBytes } from 'node:crypto';
import { deleteAccessToken } from '@seaplane/db';
import { type Context, Hono } from 'hono';
import { getCookie, setCookie } from 'hono/cookie';
import { ApiError } from '../../api-error.ts';
import { tokenHash } from '../../auth/access-token.ts';
import { identify } from '../../auth/authenticate.ts';
import { BROWSER_CLIENT } from '../../auth/clients.ts';
import type { Logins } from '../../auth/logins.ts';
import { safeRedirect } from '../../auth/safe-redirect.ts';
import { isSameSecret } from '../../auth/same-secret.ts';
import { forgetSession, sessionHeader, startSession, tokenOf } from '../../auth/session-cookies.ts';
import type { ApiContext } from '../../context.ts';
import { readText } from '../../http/read-text.ts';
import { senderAddress } from '../../http/sender-address.ts';
import { SIGN_IN_POLICY, SIGN_IN_STYLE_PATH, type SignInPage, signInPage } from '../../pages/sign-in-page.ts';
import { SIGN_IN_CSS } from '../../pages/sign-in-style.ts';
import { MAX_FORM_BYTES } from './login.ts';

/** Ties a form to the browser that asked for it, so that no other site can sign somebody in. */
const FORM_COOKIE = 'seaplane_form';

type Page = Omit<SignInPage, 'formToken' | 'clusterName'>;

/** Signing in and out with a browser. */
export function signInRoutes({ pool, externalUrl, clusterName }: ApiContext, logins: Logins): Hono {
  const app = new Hono();
  const isHttps = externalUrl.startsWith('https:');

  async function showPage(c: Context, page: Page, status: 200 | 400 | 401 | 429 = 200) {
    const formToken = getCookie(c, FORM_COOKIE) ?? randomBytes(32).toString('hex');
    setCookie(c, FORM_COOKIE, formToken, { path: '/sky', httpOnly: true, sameSite: 'Strict', secure: isHttps });
    c.header('Content-Security-Policy', SIGN_IN_POLICY);
    return c.html(await signInPage({ ...page, formToken, clusterName }), status);
  }

  app.get('/sky/login', async (c) => {
    const redirect = safeRedirect(c.req.query('redirect_uri'));
    const { kind } = await identify(pool, sessionHeader(c));
    return kind === 'user' ? c.redirect(redirect, 302) : showPage(c, { redirect });
  });

  app.post('/sky/login', async (c) => {
    const form = new URLSearchParams(await readText(c, MAX_FORM_BYTES));
    const name = form.get('login') ?? '';
    const page = { redirect: safeRedirect(form.get('redirect_uri') ?? undefined), name };
    if (!isOwnForm(c, form)) return showPage(c, { ...page, problem: 'This form is too old. Sign in once more.' }, 400);
    try {
      const attempt = { name, address: senderAddress(c), password: form.get('password') ?? '' };
      const issued = await logins.logIn(attempt, BROWSER_CLIENT);
      if (!issued) return await showPage(c, { ...page, problem: 'The username or the password is wrong.' }, 401);
      startSession(c, issued, isHttps);
      return c.redirect(page.redirect, 303);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'too-many-requests')) throw error;
      if (error.retryAfterSeconds !== undefined) c.header('Retry-After', String(error.retryAfterSeconds));
      return showPage(c, { ...page, problem: error.message }, 429);
    }
  });

  app.get(SIGN_IN_STYLE_PATH, (c) =>
    c.body(SIGN_IN_CSS, 200, {
      'Content-Type': 'text/css; charset=utf-8',
      'Cache-Control': 'public, max-age=31536000, immutable',
    }),
  );

  app.get('/sky/logout', async (c) => {
    const isBrowser = c.req.header('Accept')?.includes('text/html') === true;
    const token = sessionHeader(c) === undefined ? undefined : tokenOf(c);
    if (!token && !isBrowser) throw new ApiError('unauthorized', '');
    if (token) await deleteAccessToken(pool, tokenHash(token));
    forgetSession(c);
    return isBrowser ? c.redirect('/', 302) : c.body(null, 200);
  });

  // Addresses of old: fly opens the first one.
  app.get('/login', (c) => {
    const port = c.req.query('fly_port');
    const redirect =
      port === undefined ? c.req.query('redirect_uri') : `/fly_success?fly_port=${encodeURIComponent(port)}`;
    const query = redirect === undefined ? '' : `?redirect_uri=${encodeURIComponent(redirect)}`;
    return c.redirect(`/sky/login${query}`, 302);
  });
  app.get('/logout', (c) => c.redirect('/sky/logout', 301));
  return app;
}

/** A form repeats the cookie that came with it. Other sites know neither. */
function isOwnForm(c: Context, form: URLSearchParams): boolean {
  const site = c.req.header('Sec-Fetch-Site') ?? 'same-origin';
  const sent = form.get('form_token') ?? '';
  return site === 'same-origin' && sent !== '' && isSameSecret(sent, getCookie(c, FORM_COOKIE) ?? '');
}
