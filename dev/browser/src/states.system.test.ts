import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { findBarriers } from './testing/find-barriers.ts';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const LONG = 'a-name-so-long-that-nobody-would-think-of-it-in-earnest-but-somebody-did';
const YAML = `
resources:
- { name: ${LONG}, type: time, source: { interval: 1h } }
jobs:
- { name: ${LONG}, plan: [{ get: ${LONG} }] }
- { name: j, plan: [] }
`;
const P = `/teams/main/pipelines/${LONG}`;
const PHONE = { width: 320, height: 700 };

describe.skipIf(whyNoRoot())('states', () => {
  const site = useTestSite(IdleWeb.start, async () => {});

  test('[UI-PAGE18] an installation without a pipeline says how to go on', async () => {
    await using watched = await site.open('/');
    const { page, complaints } = watched;
    await page.getByRole('heading', { name: 'Set your first pipeline' }).waitFor();
    // Concourse's own browser tests take this word for the page where one signs in.
    expect(await page.locator('body').textContent()).not.toContain('login');
    await page.getByRole('link', { name: 'Get fly' }).click();
    await page.getByText(`fly -t dev login -c ${site.url}`).waitFor();
    await page.getByRole('link', { name: 'Go to all pipelines' }).click();
    await page.getByRole('heading', { name: 'Set your first pipeline' }).waitFor();
    expect(complaints).toEqual([]);
  });

  describe('with pipelines', () => {
    let build = 0;
    beforeAll(async () => {
      await site.fly.setPipeline(LONG, YAML);
      await site.fly.setPipeline('instance', 'jobs: [{ name: j, plan: [] }]', 'vars.branch=%22main%22');
      build = await site.fly.trigger(LONG, 'j');
      await site.fly.log(build, AbortSignal.timeout(60_000)); // to its end
      await site.web.fillLog(build, [
        { name: LONG, exitStatus: 0, lines: [LONG.repeat(4)] },
        { name: 'second', exitStatus: 3, lines: ['no'] },
        { name: 'nightly', exitStatus: 0, lines: [], got: { version: { ref: LONG }, metadata: [] } },
      ]);
    });

    test('[UI-PHONE1] no page is wider than a phone, however long its names are', async () => {
      await using watched = await site.open('/', { viewport: PHONE });
      const { page } = watched;
      await page.getByRole('button', { name: `pause ${LONG}` }).click();
      await page.locator('.card-paused').waitFor();
      const pages: readonly (readonly [address: string, locator: string, key?: string])[] = [
        ['/', '.card'],
        ['/hd', '.card'],
        ['/?search=nothing-is-like-this', '.message'],
        [P, '.job-node'],
        [`${P}/config`, 'pre.config'],
        [`${P}/jobs/j`, 'tr[data-build-name]'],
        [`${P}/jobs/${LONG}`, '.waiting'],
        [`${P}/jobs/j/builds/1`, '[data-step-state="failed"]', 'o'],
        [`${P}/jobs/j/builds/1?view=timeline`, '.timeline-bar'],
        [`${P}/resources/${LONG}`, '.build-header'],
        ['/activity', '.activity table'],
        ['/workers', 'h1'],
        ['/', '.card', '?'],
        ['/', '.card', 'Control+k'],
      ];
      const wide: unknown[] = [];
      for (const [address, locator, key] of pages) {
        await page.goto(site.url + address);
        await page.locator(locator).first().waitFor();
        if (key) await page.keyboard.press(key);
        if (key === 'o') await page.locator('.log-line').first().waitFor();
        if (key === 'o') {
          const name = await page.locator('[data-step-name="nightly"] .step-name').boundingBox();
          expect(name?.height).toBeLessThan(30); // a short name is on one line
        }
        const width = await page.evaluate<number>('document.documentElement.scrollWidth');
        if (width > PHONE.width) wide.push({ address, width });
      }
      expect(wide).toEqual([]);
    });

    test('[UI-STEP6] until its events are here, the page of an ended build says that they are loading', async () => {
      await using watched = await site.open('/');
      const { page, complaints } = watched;
      const address = `${site.url}${P}/jobs/j/builds/1`;
      for (const [view, then] of [
        ['', '[data-step-state="failed"]'],
        ['?view=timeline', '.timeline-bar'],
      ] as const) {
        const held = Promise.withResolvers<void>();
        await page.route(/events/, async (route) => {
          await held.promise;
          await route.continue();
        });
        await page.goto(address + view, { waitUntil: 'commit' }); // the page is not loaded before its first events are here
        await page.locator('.build-steps').getByText('loading ...').first().waitFor();
        expect(await page.locator('[data-step-state], .timeline-bar').count()).toBe(0);
        expect(await page.getByText(/begun|Not started/).count()).toBe(0);
        held.resolve();
        await page.locator(then).first().waitFor();
        expect(await page.getByText(/loading \.\.\./i).count()).toBe(0);
        await page.unrouteAll({ behavior: 'wait' });
      }
      expect(complaints).toEqual([]);
    });

    test('[UI-THEME1] the colour-safe theme has colours of its own, enough contrast, and outlives the page', async () => {
      await using watched = await site.open(`${P}/jobs/j/builds/1`, { reducedMotion: 'reduce' });
      const { page, complaints } = watched;
      const colour = (status: string) =>
        page.evaluate<string>(`getComputedStyle(document.querySelector('.mark-${status}')).color`);
      await page.locator('[data-step-state="failed"]').waitFor();
      const before = await Promise.all([colour('failed'), colour('succeeded')]);
      for (const theme of ['system', 'light', 'dark']) {
        await page.getByRole('button', { name: `Theme: ${theme}. Change` }).click();
      }
      await page.getByRole('button', { name: 'Theme: colour-safe. Change' }).waitFor();
      await page.reload();
      await page.locator('[data-step-state="failed"]').waitFor();
      for (const [i, status] of ['failed', 'succeeded'].entries()) expect(await colour(status)).not.toBe(before[i]);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await findBarriers(page)).toEqual([]);
      }
      expect(complaints).toEqual([]);
    });

    test('[UI-PAGE19] a pipeline with instance vars shows them, and a paused one its mark', async () => {
      await using watched = await site.open('/teams/main/pipelines/instance?vars.branch=%22main%22');
      const { page, complaints } = watched;
      await page.getByRole('heading', { name: 'instance branch: main' }).waitFor();
      await page.getByRole('navigation', { name: 'Where you are' }).getByText('instance (branch: main)').waitFor();
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.locator('.build-header .mark-paused').waitFor();
      expect(complaints).toEqual([]);
    });

    test('[UI-PAGE20] a comment on a build is written and changed, and an address in it is a link', async () => {
      await using watched = await site.open(`${P}/jobs/j/builds/1`);
      const { page, complaints } = watched;
      await page.getByRole('button', { name: 'Comment' }).click();
      const field = page.getByRole('textbox', { name: 'Comment on the build' });
      await field.fill('see https://example.com/incident/7');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.locator('.comment a[href="https://example.com/incident/7"]').waitFor();
      await page.getByRole('button', { name: 'Comment' }).click();
      await field.fill('solved');
      await field.press('Control+Enter');
      await page.locator('.comment', { hasText: /^solved$/ }).waitFor();
      await page.reload();
      await page.locator('.comment', { hasText: /^solved$/ }).waitFor();
      expect(complaints).toEqual([]);
    });
  });
});
