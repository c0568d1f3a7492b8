import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import type { Api } from '@seaplane/api';
import { temporaryDirectory } from '@seaplane/db/testing';
import { Hono } from 'hono';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApp } from './app.ts';
import { type BrowserFiles, readBrowserFiles } from './browser-files.ts';
import { iconsIn } from './icons.ts';

const SCRIPT = 'console.log(1)';
let files: BrowserFiles | undefined;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory.path, 'assets'));
  await writeFile(join(directory.path, 'index.html'), '<!doctype html>\n<html lang="en">the page</html>');
  for (const [name, text] of [
    ['app-1.js', SCRIPT],
    ['app-2.css', 'body {}'],
  ] as const) {
    await writeFile(join(directory.path, 'assets', name), text);
    await writeFile(join(directory.path, 'assets', `${name}.br`), brotliCompressSync(text));
    await writeFile(join(directory.path, 'assets', `${name}.gz`), gzipSync(text));
  }
  await mkdir(join(directory.path, 'icons'));
  await writeFile(
    join(directory.path, 'icons', 'mdi.txt'),
    '# origin\ngit M1 2\ngithub M3 4\nhub M5 6\ngit-circle =git\n',
  );
  await writeFile(join(directory.path, 'icons', 'si.txt'), '# origin\ngithub M7 8\n');
  files = await readBrowserFiles(directory.path);
});
afterAll(() => directory[Symbol.asyncDispose]());

function get(
  path: string,
  headers: Record<string, string> = {},
  imageOrigins: readonly string[] = [],
  api: Api = new Hono(),
) {
  const app = createApp({
    checkHealth: () => Promise.reject(new Error('not asked')),
    instanceId: 'the-id',
    onError: () => {},
    api,
    browser: files,
    fly: { list: async () => [], version: '8.2.5', url: 'https://ci.example.com' },
    imageOrigins,
  });
  return app.request(path, { headers });
}

test.for([
  '/',
  '/hd?search=team%3Amain',
  '/teams/main/pipelines/p?vars.a=1',
  '/teams/main/pipelines/p/jobs/j',
  '/teams/main/pipelines/p/jobs/j/builds/1.2',
  '/teams/main/pipelines/p/resources/r?filter=ref%3Aa',
  '/builds/7',
  '/fly_success?fly_port=1234',
])('[UI-SERVE1] %s is a page of the application', async (path) => {
  const response = await get(path);
  expect({ status: response.status, cache: response.headers.get('cache-control') }).toEqual({
    status: 200,
    cache: 'no-cache',
  });
  expect(await response.text()).toContain('the page');
});

test.for(['/nowhere', '/teams/main', '/builds/', '/assets/none.js', '/assets/app-1.js.br', '/assets/../index.html'])(
  '[UI-SERVE1] %s is not found',
  async (path) => {
    expect((await get(path)).status).toBe(404);
  },
);

test('[UI-SERVE1] a browser at an address of nothing gets the page, which says so; a program gets a word', async () => {
  const accept = { Accept: 'text/html,application/xhtml+xml' };
  const response = await get('/nowhere', accept);
  expect(response.status).toBe(404);
  expect(response.headers.get('content-security-policy')).toContain("script-src 'self'");
  expect(await response.text()).toContain('the page');
  expect(await (await get('/nowhere')).text()).not.toContain('the page');
  expect(await (await get('/api/v1/nowhere', accept)).text()).not.toContain('the page');
  expect(await (await get('/assets/none.js', accept)).text()).not.toContain('the page');
});

test('[UI-SERVE2] the policy allows scripts and styles of this server alone, and no text as markup', async () => {
  const policy = (await get('/')).headers.get('content-security-policy') ?? '';
  expect(policy.split('; ')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
  const fly = (await get('/fly_success?fly_port=1')).headers.get('content-security-policy') ?? '';
  expect(fly).toContain("connect-src 'self' http://127.0.0.1:*;");
});

test('[UI-SERVE2] pictures come from servers that the operator names, and the page knows which', async () => {
  const response = await get('/', {}, ['https://a.example.com', 'http://b.example.com:81']);
  const policy = response.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("; img-src 'self' data: https://a.example.com http://b.example.com:81;");
  expect(await response.text()).toContain(
    '<html data-image-origins="https://a.example.com http://b.example.com:81" lang',
  );
});

test('[UI-SERVE3] a file is kept for ever, and sent compressed to those who can read it', async () => {
  const plain = await get('/assets/app-1.js');
  expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(await plain.text()).toBe(SCRIPT);
  const packed = await get('/assets/app-1.js', { 'Accept-Encoding': 'gzip, deflate' });
  expect(packed.headers.get('content-encoding')).toBe('gzip');
  expect(gunzipSync(Buffer.from(await packed.arrayBuffer())).toString()).toBe(SCRIPT);
  const best = await get('/assets/app-1.js', { 'Accept-Encoding': 'gzip, br;q=1.0' });
  expect(best.headers.get('content-encoding')).toBe('br');
  const again = await get('/assets/app-1.js', { 'If-None-Match': plain.headers.get('etag') ?? '' });
  expect(again.status).toBe(304);
});

test.for([
  ['/icons/mdi/git.svg', 'M1 2'],
  ['/icons/mdi/hub.svg', 'M5 6'],
  ['/icons/mdi/git-circle.svg', 'M1 2'],
  ['/icons/si/github.svg', 'M7 8'],
] as const)('[UI-SERVE9] %s is an icon, which browsers keep', async ([path, drawing]) => {
  const response = await get(path);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('image/svg+xml');
  expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(await response.text()).toBe(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="${drawing}"/></svg>`,
  );
});

test.for([
  ...['/icons/mdi/hu.svg', '/icons/mdi/none.svg', '/icons/mdi/git', '/icons/mdi/GIT.svg', '/icons/mdi/%23.svg'],
  ...[
    '/icons/si/git.svg',
    '/icons/other/git.svg',
    '/icons/mdi/git%20M1.svg',
    '/icons/mdi/%0Agit.svg',
    '/icons/mdi.txt',
  ],
  ...['/icons/mdi/..%2F..%2Findex.svg', '/icons/mdi/.svg', '/icons/constructor/git.svg', '/icons/mdi/git.svg/x'],
])('[UI-SERVE9] %s is not an icon', async (path) => {
  const response = await get(path);
  expect(response.status).toBe(404);
  expect(response.headers.get('cache-control')).toBe('no-store, private');
});

test('[UI-SERVE9] icons that could not be read are looked for again', async () => {
  const icons = join(directory.path, 'icons-later');
  const findIcon = iconsIn(icons);
  await expect(findIcon('mdi', 'git')).rejects.toThrow('ENOENT');
  await mkdir(icons);
  await writeFile(join(icons, 'mdi.txt'), '# origin\ngit M1 2\n');
  expect(await findIcon('mdi', 'git')).toContain('"M1 2"');
});

test('[UI-SERVE4] the theme of the cookie is in the page, and no other text', async () => {
  const themed = async (theme: string) => (await get('/', { Cookie: `seaplane_theme=${theme}` })).text();
  expect(await themed('dark')).toContain('<html data-theme="dark" lang="en">');
  expect(await themed('light')).toContain('<html data-theme="light" lang="en">');
  expect(await themed('safe')).toContain('<html data-theme="safe" lang="en">');
  expect(await themed('%22%3E%3Cscript%3E')).toContain('<html lang="en">');
});

test('[UI-SERVE5] robots are kept out', async () => {
  expect(await (await get('/robots.txt')).text()).toBe('User-agent: *\nDisallow: /\n');
});

test.for([
  ['/activity', ['/api/v1/seaplane/session']],
  ['/', ['/api/v1/seaplane/session', '/api/v1/pipelines', '/api/v1/jobs', '/api/v1/resources']],
  ['/builds/7?view=timeline', ['/api/v1/seaplane/session', '/api/v1/builds/7']],
  [
    '/teams/main/pipelines/p/jobs/j/builds/latest',
    [
      '/api/v1/seaplane/session',
      '/api/v1/teams/main/pipelines/p/jobs/j/builds',
      '/api/v1/teams/main/pipelines/p/jobs/j',
    ],
  ],
  [
    '/teams/a%2Cb/pipelines/%3E%22%0D%0Ax?vars.a=%22%3E,%22&group=g',
    [
      '/api/v1/seaplane/session',
      ...['', '/jobs', '/resources'].map(
        (part) => `/api/v1/teams/a%2Cb/pipelines/%3E%22%0D%0Ax${part}?vars.a=%22%3E%2C%22`,
      ),
    ],
  ],
] as const)('[UI-SERVE7] %s names the first requests of its script', async ([path, requests]) => {
  const link = (await get(path)).headers.get('link');
  expect(link?.split(', ')).toEqual(requests.map((each) => `<${each}>; rel=preload; as=fetch; crossorigin`));
});

const OF_BUILD = ['/api/v1/builds/7/plan', '/api/v1/seaplane/builds/7/first-events'];

test.for([
  ['a build that runs', { status: 'started', start_time: 1 }, OF_BUILD],
  ['a build that was aborted before it started', { status: 'aborted' }, []],
  ['a build that waits', { status: 'pending' }, []],
] as const)(
  '[UI-SERVE8] the page of %s names what there is of it, to those who may see it',
  async ([, build, more]) => {
    const path = '/teams/main/pipelines/p/jobs/j/builds/1?vars.a=1';
    const api: Api = new Hono();
    api.get('/api/v1/teams/main/pipelines/p/jobs/j/builds/1', (c) => {
      if (c.req.header('Cookie') !== 'mine=1') return c.text('', 401);
      return c.json({ id: 7, name: '1', job_name: 'j', ...build, vars: c.req.query('vars.a') });
    });
    const named = async (headers: Record<string, string>) => {
      const response = await get(path, headers, [], api);
      const links = response.headers.get('link') ?? '';
      return { links: OF_BUILD.filter((each) => links.includes(`<${each}>`)), page: await response.text() };
    };
    const mine = await named({ Cookie: 'mine=1' });
    expect(mine.links).toEqual(more);
    expect(mine.page.includes('<html data-started-build="7" lang="en">')).toBe(more.length > 0);
    const others = await named({});
    expect(others.links).toEqual([]);
    expect(others.page).toContain('<html lang="en">');
  },
);

test.for([
  ['cannot be looked for', () => Promise.reject(new Error('expected by this test'))],
  ['is not found in time', () => new Promise<Response>(() => {})],
] as const)('[UI-SERVE8] a page is served also if its build %s', async ([, answer]) => {
  const api: Api = new Hono();
  api.get('/api/v1/builds/7', answer);
  const response = await get('/builds/7', {}, [], api);
  expect({ status: response.status, text: await response.text() }).toEqual({
    status: 200,
    text: '<!doctype html>\n<html lang="en">the page</html>',
  });
});

test('[UI-SERVE6] a directory without the application is not an error', async () => {
  expect(await readBrowserFiles(join(directory.path, 'none'))).toBeUndefined();
});
