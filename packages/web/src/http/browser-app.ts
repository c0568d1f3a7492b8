import type { Api } from '@seaplane/api';
import type { BuildAnswer } from '@seaplane/api/answers';
import { firstRequests, mayHavePlan, requestForBuild } from '@seaplane/browser/first-requests';
import { parseRoute, type Route } from '@seaplane/browser/routes';
import { withSignal } from '@seaplane/orchestrator';
import { type Context, Hono } from 'hono';
import { getCookie } from 'hono/cookie';
import type { Asset, BrowserFiles } from './browser-files.ts';
import type { IconSet } from './icons.ts';

const IMMUTABLE = 'public, max-age=31536000, immutable';
/** A page is sent without its build if the database takes longer: the page itself says so then. */
const PATIENCE_MS = 500;
const THEME_COOKIE = 'seaplane_theme';
const THEMES = ['light', 'dark', 'safe'];

/**
 * Serves the browser application: its files, and its page at every address that the application knows. `api` is asked for
 * the build of a page, as the page's own user.
 */
export function browserApp(
  { page, assets, findIcon }: BrowserFiles,
  api: Pick<Api, 'request'>,
  imageOrigins: readonly string[] = [],
): Hono {
  const shown = withAttribute(page, 'image-origins', imageOrigins.join(' '));
  const app = new Hono();
  app.get('/assets/*', (c) => {
    const asset = assets.get(c.req.path);
    return asset ? sendAsset(c, asset) : c.notFound();
  });
  app.get('/icons/:set{mdi|si}/:file{[a-z0-9-]+\\.svg}', async (c) => {
    const icon = await findIcon(c.req.param('set') as IconSet, c.req.param('file').slice(0, -'.svg'.length));
    if (icon === undefined) return c.notFound();
    c.header('Content-Type', 'image/svg+xml');
    c.header('Cache-Control', IMMUTABLE);
    return c.body(icon);
  });
  app.get('*', async (c, next) => {
    const { pathname, search } = new URL(c.req.url);
    const route = parseRoute(pathname + search);
    if (!route && !isPersonAt(c, pathname)) return next();
    c.header('Content-Security-Policy', policyFor(route?.page === 'fly', imageOrigins));
    c.header('Cross-Origin-Opener-Policy', 'same-origin');
    c.header('Cache-Control', 'no-cache');
    const build = route && (await findBuildSoon(api, c, route));
    c.header('Link', preloads(firstRequests(route, build)));
    const ofBuild = withAttribute(shown, 'started-build', build ?? '');
    return c.html(withTheme(ofBuild, getCookie(c, THEME_COOKIE)), route ? 200 : 404);
  });
  return app;
}

/** The id of the build that the page is about, if it may have a plan and the user may see it. */
async function findStartedBuild(api: Pick<Api, 'request'>, c: Context, route: Route): Promise<string | undefined> {
  const path = requestForBuild(route);
  if (path === undefined) return undefined;
  const answer = await api.request(path, { headers: { Cookie: c.req.header('Cookie') ?? '' } }, c.env);
  if (!answer.ok) return undefined; // the page says why: its script asks for the build, too
  const build = (await answer.json()) as BuildAnswer;
  return mayHavePlan(build) ? String(build.id) : undefined;
}

/** The same, or undefined if the database is slow: the page's script asks for the build, too, and says what is wrong. */
async function findBuildSoon(api: Pick<Api, 'request'>, c: Context, route: Route): Promise<string | undefined> {
  const late = AbortSignal.timeout(PATIENCE_MS);
  try {
    return await withSignal(findStartedBuild(api, c, route), late);
  } catch (error) {
    if (late.aborted) return undefined;
    throw error;
  }
}

/** Whether a browser asks for a page: a program that has a wrong address reads the status alone. */
function isPersonAt(c: Context, path: string): boolean {
  return c.req.header('Accept')?.includes('text/html') === true && !path.startsWith('/api/');
}

/**
 * Scripts and styles come from files of this server alone, and no text may become markup. Only the page that hands a
 * token to fly may reach another address: fly on the user's own machine. The operator names servers whose pictures are shown.
 */
function policyFor(isFlyPage: boolean, imageOrigins: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    ["img-src 'self' data:", ...imageOrigins].join(' '),
    "font-src 'self'",
    isFlyPage ? "connect-src 'self' http://127.0.0.1:*" : "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** Lets the browser ask for these paths, which are encoded, while it loads the script. The script gets the same answers. */
function preloads(paths: readonly string[]): string {
  return paths.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`).join(', ');
}

/** The theme is in the page from the start, so that it does not change while the page is painted. */
function withTheme(page: string, theme: string | undefined): string {
  if (theme === undefined || !THEMES.includes(theme)) return page;
  return withAttribute(page, 'theme', theme);
}

/** `value` must need no escaping. */
function withAttribute(page: string, name: string, value: string): string {
  return value === '' ? page : page.replace('<html ', `<html data-${name}="${value}" `);
}

function sendAsset(c: Context, asset: Asset): Response {
  c.header('Content-Type', asset.type);
  c.header('Cache-Control', IMMUTABLE);
  c.header('Vary', 'Accept-Encoding');
  c.header('ETag', asset.etag);
  if (c.req.header('If-None-Match') === asset.etag) return c.body(null, 304);
  const accepted = (c.req.header('Accept-Encoding') ?? '').split(',').map((each) => each.split(';')[0]?.trim());
  for (const encoding of ['br', 'gzip'] as const) {
    if (!accepted.includes(encoding)) continue;
    c.header('Content-Encoding', encoding);
    return c.body(asset[encoding]);
  }
  return c.body(asset.plain);
}
