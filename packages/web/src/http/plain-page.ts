import { createHash } from 'node:crypto';
import { PLANE, PLANE_ICON } from '@seaplane/api';
import { html, raw } from 'hono/html';
import { PLAIN_PAGE_CSS } from './plain-page-style.ts';

export type Markup = ReturnType<typeof html>;

interface PlainPage {
  /** The text of the tab. */
  readonly title: string;
  readonly heading: string;
  readonly subheading: string;
  /** Seconds until the page loads itself again. Undefined: it does not. */
  readonly reloadAfter?: number;
  readonly body: Markup;
}

/** The policy of plain pages: nothing but their own style and image. */
export const PLAIN_PAGE_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(PLAIN_PAGE_CSS).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A page without scripts, which needs no other file. */
export async function renderPlainPage({ title, heading, subheading, reloadAfter, body }: PlainPage): Promise<string> {
  const refresh = reloadAfter ? html`<meta http-equiv="refresh" content="${reloadAfter}">\n` : '';
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${refresh}<title>${title}</title>
<link rel="icon" href="${PLANE_ICON}">
<style>${raw(PLAIN_PAGE_CSS)}</style>
</head>
<body>
<main>
<header>
<svg viewBox="0 0 64 64" aria-hidden="true">${raw(PLANE)}</svg>
<div>
<h1>${heading}</h1>
<p>${subheading}</p>
</div>
</header>
${body}</main>
</body>
</html>
`;
  return String(await page);
}
