import { createHash } from 'node:crypto';
import { html, raw } from 'hono/html';
import { PLANE, PLANE_ICON } from './plane.ts';
import { SIGN_IN_CSS } from './sign-in-style.ts';

export const SIGN_IN_STYLE_PATH = '/sky/sign-in.css';
/** The page may load its style sheet and send its form to this server, and nothing else. */
export const SIGN_IN_POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const STYLE_HASH = createHash('sha256').update(SIGN_IN_CSS).digest('hex').slice(0, 16);

export interface SignInPage {
  readonly clusterName?: string | undefined;
  /** The path to go to afterwards. */
  readonly redirect: string;
  readonly formToken: string;
  /** The name that was typed before. */
  readonly name?: string;
  readonly problem?: string;
}

/** The sign-in page. It needs no script. The ids are Concourse's, so that programs which fill the form go on working. */
export async function signInPage({ clusterName, redirect, formToken, name, problem }: SignInPage): Promise<string> {
  const error = problem === undefined ? '' : html`<p class="error" role="alert">${problem}</p>`;
  const where = redirect === '/' ? '' : html`<p class="hint">${destination(redirect)}</p>`;
  return String(
    await html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in - Seaplane</title>
<link rel="icon" href="${PLANE_ICON}">
<link rel="stylesheet" href="${SIGN_IN_STYLE_PATH}?v=${STYLE_HASH}">
</head>
<body>
<main>
<header>
<svg viewBox="0 0 64 64" aria-hidden="true">${raw(PLANE)}</svg>
<div><h1>Sign in</h1><p>${clusterName ?? 'Seaplane'}</p></div>
</header>
${error}
<form method="post" action="/sky/login">
<input type="hidden" name="redirect_uri" value="${redirect}">
<input type="hidden" name="form_token" value="${formToken}">
<label for="login">Username</label>
<input id="login" name="login" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus value="${name ?? ''}">
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="off" required>
<button id="submit-login" type="submit">Sign in</button>
</form>
${where}
</main>
</body>
</html>
`,
  );
}

function destination(redirect: string): string {
  if (redirect.startsWith('/fly_success')) return 'fly is waiting: it gets a token of its own after you sign in.';
  return `You will be returned to ${redirect}`;
}
