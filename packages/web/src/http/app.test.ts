import { createHash } from 'node:crypto';
import type { Api, FlyFile } from '@seaplane/api';
import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createApp } from './app.ts';
import type { BrowserFiles } from './browser-files.ts';
import type { HealthReport } from './health.ts';

const ok: HealthReport = {
  status: 'ok',
  version: '1.2.3',
  database: { status: 'ok', kind: 'embedded', version: '18.4' },
};
const failing: HealthReport = {
  status: 'failing',
  version: '1.2.3',
  database: { status: 'failing', kind: 'external', version: '17.1', error: 'the server said <no> & left' },
};

function appWith(checkHealth: () => Promise<HealthReport>, browser?: BrowserFiles, files: readonly FlyFile[] = []) {
  const errors: unknown[] = [];
  const onError = (error: unknown, path: string) => errors.push([error, path]);
  const api: Api = new Hono();
  api.get('/api/v1/info', (c) => c.text('info'));
  api.get('/api/v1/badge', (c) => c.text('badge', 200, { 'Cache-Control': 'no-cache' }));
  const fly = { list: async () => files, version: '8.2.5', url: 'https://ci.example.com' };
  const dependencies = { checkHealth, instanceId: 'the-id', onError, api, browser, fly };
  return { app: createApp(dependencies), dependencies, errors };
}

test.for([
  { report: ok, status: 200 },
  { report: failing, status: 503 },
])('[HEALTH1] /health answers $status with the report', async ({ report, status }) => {
  const { app } = appWith(async () => report);
  const response = await app.request('/health');
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(await response.json()).toEqual(report);
});

test('[HEALTH1] each request queries the database again', async () => {
  const answers = [ok, failing, ok];
  const { app } = appWith(async () => answers.shift() ?? failing);
  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push((await app.request('/health')).status);
  expect(statuses).toEqual([200, 503, 200]);
});

test('[HEALTH2] the page shows that everything works, with version and cluster id', async () => {
  const { app } = appWith(async () => ok);
  const response = await app.request('/health-page');
  expect(response.status).toBe(200);
  const text = await response.text();
  for (const part of ['<h1>Seaplane</h1>', 'Everything works', 'PostgreSQL 18.4, embedded', '1.2.3', 'the-id']) {
    expect(text).toContain(part);
  }
});

test('[HEALTH2] the page shows what is wrong, escaped', async () => {
  const { app } = appWith(async () => failing);
  const response = await app.request('/health-page');
  expect(response.status).toBe(503);
  const text = await response.text();
  expect(text).toContain('The database does not answer: the server said &lt;no&gt; &amp; left.');
  expect(text).toContain('PostgreSQL 17.1, from DATABASE_URL');
  expect(text).not.toContain('<no>');
});

test('[HEALTH2] without the browser application, / shows the same page and what to run', async () => {
  const { app } = appWith(async () => ok);
  const text = await (await app.request('/')).text();
  expect(text).toContain('Everything works');
  expect(text).toContain('npm run browser');
});

test('[HEALTH2] the policy allows the style sheet of the page and nothing else', async () => {
  const { app } = appWith(async () => ok);
  const response = await app.request('/health-page');
  const text = await response.text();
  const style = /<style>(.*)<\/style>/s.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  expect(response.headers.get('content-security-policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|src="http/);
});

test('[HTTP1] every response has the security headers', async () => {
  const { app } = appWith(async () => ok);
  for (const path of ['/', '/health', '/api/v1/info', '/nowhere']) {
    const { headers } = await app.request(path);
    expect(headers.get('x-frame-options')).toBe('deny');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-download-options')).toBe('noopen');
    expect(headers.get('cache-control')).toBe('no-store, private');
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  }
});

test('[HTTP1] HTTPS is wanted of browsers only if the operator says so', async () => {
  const { app, dependencies } = appWith(async () => ok);
  expect((await app.request('/')).headers.get('strict-transport-security')).toBeNull();
  const strict = createApp({ ...dependencies, strictTransportSecurity: 'max-age=60' });
  expect((await strict.request('/nowhere')).headers.get('strict-transport-security')).toBe('max-age=60');
});

test('[HTTP1] a handler’s own Cache-Control is kept', async () => {
  const { app } = appWith(async () => ok);
  const { headers } = await app.request('/api/v1/badge');
  expect(headers.get('cache-control')).toBe('no-cache');
});

test('[HTTP2] unknown paths are not found', async () => {
  const { app } = appWith(async () => ok);
  const response = await app.request('/nowhere');
  expect(response.status).toBe(404);
  expect(await response.text()).toBe('Not found\n');
});

test('[HTTP2] a handler that fails answers 500, is logged, and gives no details', async () => {
  const error = new Error('the password is hunter2');
  const { app, errors } = appWith(async () => {
    throw error;
  });
  const response = await app.request('/health');
  expect(response.status).toBe(500);
  expect(await response.text()).toBe('The server failed to answer; its log says why.\n');
  expect(errors).toEqual([[error, '/health']]);
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

test('[FLY1] the download page offers each fly there is, once, and says where others are', async () => {
  const linux = { name: 'fly-linux-amd64.tgz', platform: 'linux', arch: 'amd64', packing: 'tgz' } as const;
  const files = [
    linux,
    { ...linux, name: 'fly-8.2.5-linux-amd64.tgz' },
    { ...linux, platform: 'darwin', arch: 'arm64' },
  ];
  const { app } = appWith(async () => ok, undefined, files);
  const response = await app.request('/download-fly');
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'sha256-");
  const page = await response.text();
  expect([...page.matchAll(/href="(\/api[^"]*)"/g)].map(([, link]) => link)).toEqual([
    '/api/v1/cli?platform=darwin&amp;arch=arm64',
    '/api/v1/cli?platform=linux&amp;arch=amd64',
  ]);
  expect(page).toContain('https://github.com/concourse/concourse/releases/tag/v8.2.5');
  expect(page).toContain('fly -t dev login -c https://ci.example.com');
});

test('[FLY1] without a fly, the page says where to get it and how to offer it', async () => {
  const { app } = appWith(async () => ok);
  const page = await (await app.request('/download-fly')).text();
  expect(page).toContain('This installation has no fly to give.');
  expect(page).toContain('--fly-dir DIRECTORY');
  expect(page).not.toContain('/api/v1/cli');
});
