import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TemporaryDirectory, temporaryDirectory } from '@seaplane/db/testing';
import { ensureDebianPackages } from '@seaplane/dev-toolchain/debian-packages.ts';
import { stderrProgress } from '@seaplane/dev-toolchain/progress.ts';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { ApiUser, freePort, RunningWeb } from '@seaplane/web/testing';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, test as anyTest, beforeAll, expect } from 'vitest';
import { buildBrowser } from './build-browser.ts';

const test = anyTest.skipIf(whyNoRoot());

const MARKUP = '<img src=x onerror=alert(1)>';
const YAML = `
jobs:
- name: hello
  plan:
  - task: "${MARKUP}"
    config: { platform: linux, rootfs_uri: x, run: { path: echo } }
- name: never
  plan: []
`;

let temporary: TemporaryDirectory;
let web: RunningWeb;
let browser: Browser;
let fly: ApiUser;

beforeAll(async () => {
  if (whyNoRoot()) return;
  const progress = stderrProgress('browser');
  await ensureDebianPackages(['chromium'], progress);
  await buildBrowser(progress);
  temporary = await temporaryDirectory();
  const targetsFile = join(temporary.path, 'targets.yml');
  await writeFile(targetsFile, '[]');
  web = await RunningWeb.start({ port: await freePort(), dataDir: join(temporary.path, 'data'), targetsFile });
  fly = await ApiUser.login(web.url);
  await fly.setPipeline('first', YAML);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
});

afterAll(async () => {
  await browser?.close();
  await web?.[Symbol.asyncDispose]();
  await temporary?.[Symbol.asyncDispose]();
});

interface Watched extends AsyncDisposable {
  readonly page: Page;
  /** The complaints of the browser: messages in the console, among them violations of the policy, and errors. */
  readonly complaints: string[];
}

/** A page in a browser that nobody is signed in to. */
async function openPage(): Promise<Watched> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

async function signIn(page: Page, path: string): Promise<void> {
  await page.goto(`${web.url}/sky/login?redirect_uri=${encodeURIComponent(path)}`);
  await page.fill('#login', 'test');
  await page.fill('#password', 'test');
  await page.click('#submit-login');
}

test('[UI-PAGE1] a user signs in, finds a pipeline and reads a build', async () => {
  const buildId = await fly.trigger('first', 'hello');
  await expect.poll(() => fly.status(buildId)).toBe('errored');
  await using watched = await openPage();
  const { page, complaints } = watched;
  await page.goto(web.url);
  await page.getByRole('link', { name: 'Sign in' }).first().click();
  await page.fill('#login', 'test');
  await page.fill('#password', 'wrong');
  await page.click('#submit-login');
  await page.getByText('The username or the password is wrong.').waitFor();
  // The browser reports the status 401 of the page itself.
  complaints.length = 0;
  await page.fill('#password', 'test');
  await page.click('#submit-login');
  await page.locator('#user-id', { hasText: 'test' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('team:main frst');
  await page.locator('.dashboard-team-group[data-team-name="main"] .card[data-pipeline-name="first"]').waitFor();
  await page.getByRole('link', { name: /^hello: errored/ }).click();
  await page.waitForURL(`${web.url}/teams/main/pipelines/first/jobs/hello/builds/1`);
  await page.locator('.build-header', { hasText: 'hello #1' }).waitFor();
  await page.locator('.step-error', { hasText: 'worker' }).first().waitFor();
  expect(await page.locator('[data-step-state]').first().getAttribute('data-step-state')).toBe('errored');
  await page.goBack();
  await page.locator('.card').first().waitFor();
  expect(complaints).toEqual([]);
});

test('[UI-PAGE2] fly, which waits at a port, gets a token', async () => {
  const given = Promise.withResolvers<string>();
  // As fly does: a page of the server that it logs in to may send the token (fly/commands/login.go).
  const waiting = createServer((request, response) => {
    response.setHeader('Access-Control-Allow-Origin', web.url);
    response.setHeader('Access-Control-Allow-Private-Network', 'true');
    response.end();
    const token = new URL(request.url ?? '', 'http://here').searchParams.get('token');
    if (token !== null) given.resolve(token);
  }).listen(0, '127.0.0.1');
  await once(waiting, 'listening');
  const { port } = waiting.address() as AddressInfo;
  await using watched = await openPage();
  const { page } = watched;
  await page.goto(`${web.url}/login?fly_port=${port}`);
  await page.fill('#login', 'test');
  await page.fill('#password', 'test');
  await page.click('#submit-login');
  const done = page.getByText('fly is logged in').waitFor();
  // Where the browser keeps the script from this machine's own addresses, the button sends the token.
  const byHand = page.getByRole('link', { name: 'Send the token to fly' }).click();
  const Authorization = await given.promise;
  await Promise.any([done, byHand]);
  const user = await fetch(`${web.url}/api/v1/user`, { headers: { Authorization } });
  expect(await user.json()).toMatchObject({ name: 'test' });
  await page.close(); // ends the waiting that was in vain
  await Promise.allSettled([done, byHand]);
  waiting.closeAllConnections();
  waiting.close();
});

test('[UI-PAGE3] a job is triggered and a pipeline is paused', async () => {
  await using watched = await openPage();
  const { page, complaints } = watched;
  await signIn(page, '/teams/main/pipelines/first/jobs/never');
  await page.getByRole('button', { name: 'Trigger' }).click();
  await page.waitForURL(/\/jobs\/never\/builds\/1$/);
  await page.locator('.build-succeeded').waitFor();
  await page.getByRole('link', { name: 'first' }).click();
  await page.getByRole('link', { name: /^never: succeeded/ }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Unpause' }).click();
  await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
  expect(complaints).toEqual([]);
});

test('[UI-PAGE4] names that look like markup are text', async () => {
  await using watched = await openPage();
  const { page, complaints } = watched;
  await signIn(page, '/teams/main/pipelines/first/jobs/hello/builds/1');
  await page.locator('.step-name', { hasText: MARKUP }).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  expect(complaints).toEqual([]);
});
