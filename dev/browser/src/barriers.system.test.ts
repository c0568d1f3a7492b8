import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { LocalWeb, readExample } from '@seaplane/web/testing';
import type { Page } from 'playwright-core';
import { describe, expect, test, vi } from 'vitest';
import { findBarriers } from './testing/find-barriers.ts';
import { signIn } from './testing/test-browser.ts';
import { useTestSite } from './testing/test-site.ts';

const P = '/teams/main/pipelines/publish';
const SIZES = { desktop: { width: 1280, height: 860 }, phone: { width: 390, height: 800 } };

/** Each page, in a state that shows most of it. The locator is there when the page has loaded. */
const PAGES: readonly (readonly [
  name: string,
  address: string,
  locator: string,
  prepare?: (page: Page) => Promise<void>,
])[] = [
  ['dashboard', '/', '.card'],
  ['list', '/hd', '.card'],
  ['nothing found', '/?search=nothing-is-like-this', '.message'],
  ['pipeline', P, '.job-node'],
  ['job', `${P}/jobs/test`, '[data-build-name]'],
  ['build', `${P}/jobs/test/builds/1`, '.step', openSteps],
  ['resource', `${P}/resources/source`, '.version', (page) => page.locator('.version .header').first().click()],
  ['causality', `${P}/resources/source`, '.version', (page) => openVersion(page, 'All that came of it', '.cause-node')],
  [
    'followed version',
    `${P}/resources/source`,
    '.version',
    (page) => openVersion(page, 'Follow it in the pipeline', '.follow-bar a'),
  ],
  ['activity', '/activity', 'h1'],
  ['new pipeline', '/new-pipeline', 'textarea'],
  ['workers', '/workers', 'h1'],
  ['fly', '/fly_success?noop=true', '.message'],
  ['failing check', '/teams/main/pipelines/broken/resources/gone', '.step-note'],
  ['waiting job', '/teams/main/pipelines/broken/jobs/j', '.waiting'],
  ['not found', '/teams/main/pipelines/none', '.message'],
  ['help', '/', '.card', (page) => openDialog(page, () => page.keyboard.press('?'))],
  ['palette', '/', '.card', (page) => openDialog(page, () => page.keyboard.press('Control+k'))],
  [
    'message to all users',
    '/',
    '.card',
    (page) => openDialog(page, () => page.getByRole('button', { name: 'Message to all users' }).click()),
  ],
];

async function openSteps(page: Page): Promise<void> {
  await page.keyboard.press('o');
  await page.locator('.step-body').first().waitFor();
}

async function openDialog(page: Page, open: () => Promise<void>): Promise<void> {
  await open();
  await page.getByRole('dialog').waitFor();
}

async function openVersion(page: Page, link: string, locator: string): Promise<void> {
  await page.locator('.version .header').first().click();
  await page.getByRole('link', { name: link }).click();
  await page.locator(locator).first().waitFor();
}

describe.skipIf(whyNoRoot())('barriers', () => {
  const site = useTestSite(LocalWeb.start, async ({ fly, web: { repository } }) => {
    const vars = { repository: repository.url, branch: 'main' };
    await fly.setPipeline('publish', await readExample('git-test-publish', vars));
    await fly.setPipeline(
      'broken',
      'resources: [{ name: gone, type: git, source: { uri: "git://127.0.0.1:1/none", branch: main } }]\njobs: [{ name: j, plan: [{ get: gone, trigger: true }] }]',
    );
    const isTested = async () => expect((await fly.builds('publish', 'test'))[0]?.status).toBe('succeeded');
    await vi.waitFor(isTested, { timeout: 240_000, interval: 200 });
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      test(`[UI-AXE1] no page has a barrier, ${colorScheme}, ${size}`, async () => {
        await using watched = await site.browser.openPage({ colorScheme, viewport, reducedMotion: 'reduce' });
        const { page } = watched;
        await page.goto(`${site.url}/sky/login`);
        expect({ name: 'sign in', barriers: await findBarriers(page) }).toEqual({ name: 'sign in', barriers: [] });
        await signIn(page, site.url, '/');
        if (size === 'desktop') await page.getByRole('button', { name: 'Side bar' }).click();
        const found: unknown[] = [];
        for (const [name, address, locator, prepare] of PAGES) {
          await page.goto(`${site.url}${address}`);
          await page.locator(locator).first().waitFor();
          await prepare?.(page);
          const barriers = await findBarriers(page);
          if (barriers.length > 0) found.push({ name, barriers });
        }
        expect(found).toEqual([]);
      });
    }
  }
});
