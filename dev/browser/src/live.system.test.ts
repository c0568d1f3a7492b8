import { readFile } from 'node:fs/promises';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { ApiUser, LocalWeb } from '@seaplane/web/testing';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn, TestBrowser } from './testing/test-browser.ts';

const LINES = 200;
const YAML = `
jobs:
- name: empty
  plan: []
- name: count
  plan:
  - task: count
    config:
      platform: linux
      run: { path: sh, args: [-c, 'for i in $(seq ${LINES}); do echo "line $i"; sleep 0.05; done'] }
`;

describe.skipIf(whyNoRoot())('live pages', () => {
  let local: LocalWeb;
  let browser: TestBrowser;
  let fly: ApiUser;

  beforeAll(async () => {
    browser = await TestBrowser.start();
    local = await LocalWeb.start();
    fly = await ApiUser.login(local.web.url);
    await fly.setPipeline('live', YAML);
  });
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]();
    await local?.[Symbol.asyncDispose]();
  });

  /** The requests that a page sends from now on, by their paths. */
  function requestsOf(page: Page): string[] {
    const paths: string[] = [];
    page.on('request', (request) => paths.push(new URL(request.url()).pathname));
    return paths;
  }

  test('[UI-LIVE1] every page shows what happens elsewhere, and asks for nothing while nothing happens', async () => {
    await using watched = await browser.openPage();
    const { page, complaints } = watched;
    await signIn(page, local.web.url, '/');
    await page.locator('.live-live').waitFor();
    await page.getByRole('link', { name: /^empty: never ran/ }).waitFor();
    // The first load, and the one after the stream was opened.
    const loads = 'performance.getEntriesByName(`${location.origin}/api/v1/jobs`).length';
    await expect.poll(() => page.evaluate(loads)).toBe(2);
    const requests = requestsOf(page);
    const build = await fly.trigger('live', 'empty');
    await page.getByRole('link', { name: /^empty: succeeded/ }).waitFor();
    expect(requests).toContain('/api/v1/jobs');
    await fly.setPipeline('second', 'jobs: [{ name: other, plan: [] }]');
    await page.locator('.card[data-pipeline-name="second"]').waitFor();
    await fly.destroyPipeline('second');
    await page.locator('.card[data-pipeline-name="second"]').waitFor({ state: 'detached' });
    await page.goto(`${local.web.url}/teams/main/pipelines/live/jobs/empty`);
    await page.locator('.live-live').waitFor();
    await page.locator('tr[data-build-name="1"]').waitFor();
    await fly.trigger('live', 'empty');
    await page.locator('tr[data-build-name="2"]', { hasText: 'succeeded' }).waitFor();
    expect(await fly.status(build)).toBe('succeeded');
    expect(complaints).toEqual([]);
  });

  test('[UI-LIVE4] after kill -9 of web the page goes on: every line is there once, and changes arrive', async () => {
    const id = await fly.trigger('live', 'count');
    await using watched = await browser.openPage();
    const { page } = watched;
    await signIn(page, local.web.url, '/teams/main/pipelines/live/jobs/count/builds/1');
    await page.locator('.log-text', { hasText: /^line 10$/ }).waitFor();
    await local.web.kill('SIGKILL');
    await page.locator('.live-cut').waitFor();
    await page.getByText('The connection to the server is lost.').waitFor();
    await local.startAgain();
    await page.locator('.live-live').waitFor();
    await page.locator('.build-succeeded').waitFor();
    await page.getByRole('searchbox', { name: 'Find in all logs' }).fill('line');
    await page.getByText(`${LINES} hits`).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save log' }).click(),
    ]);
    const lines = Array.from({ length: LINES }, (_, i) => `line ${i + 1}`);
    expect(await readFile(await download.path(), 'utf8')).toBe(['== task: count', ...lines, ''].join('\n'));
    fly = await ApiUser.login(local.web.url);
    expect(await fly.status(id)).toBe('succeeded');
    await fly.trigger('live', 'count');
    await page.locator('#builds').getByText('#2', { exact: true }).waitFor();
  });

  test('[UI-LIVE5] a hidden page has no streams, and goes on where it was when somebody looks at it', async () => {
    await fly.trigger('live', 'count');
    await using watched = await browser.openPage();
    const { page, complaints } = watched;
    await signIn(page, local.web.url, '/teams/main/pipelines/live/jobs/count/builds/3');
    await page.locator('.log-text', { hasText: /^line 5$/ }).waitFor();
    const requests = requestsOf(page);
    const set = (state: 'hidden' | 'visible') =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await set('hidden');
    await page.locator('.live-waiting').waitFor();
    await set('visible');
    await page.locator('.live-live').waitFor();
    await page.locator('.build-succeeded').waitFor();
    expect(requests.filter((path) => path.endsWith('/events'))).toHaveLength(1);
    await page.getByRole('searchbox', { name: 'Find in all logs' }).fill('line');
    await page.getByText(`${LINES} hits`).waitFor();
    expect(complaints).toEqual([]);
  });
});
