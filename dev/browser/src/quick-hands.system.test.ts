import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { IdleWeb } from './testing/idle-web.ts';
import { signIn } from './testing/test-browser.ts';
import { useTestSite } from './testing/test-site.ts';

const YAML = 'jobs: [{ name: j, plan: [] }]';

/** Presses a key in the moment in which an element is there for the first time, before it is painted. */
function pressAtSight(selector: string, key: string, ctrlKey = false): string {
  return `{
    const observer = new MutationObserver(() => {
      if (!document.querySelector('${selector}')) return;
      observer.disconnect();
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', ctrlKey: ${ctrlKey}, bubbles: true }));
    });
    observer.observe(document, { childList: true, subtree: true });
  }`;
}

/** Keeps the answers to a page's changes back until they are let go. */
async function holdAnswers(page: Page, path: string): Promise<() => void> {
  const gone = Promise.withResolvers<void>();
  await page.route(
    (url) => url.pathname.endsWith(path),
    async (route) => {
      if (route.request().method() === 'GET') return route.fallback();
      const response = await route.fetch();
      await gone.promise;
      return route.fulfill({ response });
    },
  );
  return gone.resolve;
}

describe.skipIf(whyNoRoot())('quick hands', () => {
  const site = useTestSite(IdleWeb.start, async ({ fly }) => {
    for (const name of ['one', 'two', 'three', 'four']) await fly.setPipeline(name, YAML);
  });

  test.for([
    ['a search', '/', pressAtSight('#user-id', '/'), '#search-input-field:focus'],
    ['the palette', '/workers', pressAtSight('#user-id', 'k', true), 'dialog.palette[open] input:focus'],
    ['the help', '/workers', pressAtSight('#user-id', '?'), 'dialog.help[open]'],
  ] as const)(
    '[UI-QUICK1] %s opens by a key that is pressed as soon as the page is there',
    async ([, path, script, opened]) => {
      await using watched = await site.browser.openPage();
      const { page, complaints } = watched;
      await page.addInitScript(script);
      await signIn(page, site.url, path);
      await page.locator(opened).waitFor();
      expect(complaints).toEqual([]);
    },
  );

  test('[UI-QUICK2] a click counts while the change before it has no answer yet', async () => {
    await using watched = await site.open('/teams/main/pipelines/one');
    const { page, complaints } = watched;
    const letGo = await holdAnswers(page, '/pause');
    await page.getByRole('button', { name: 'Pause', exact: true }).click();
    await page.getByRole('button', { name: 'Unpause' }).click();
    letGo();
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor();
    await page.goto(`${site.url}/`);
    const letGoOfCard = await holdAnswers(page, '/pause');
    await page.getByRole('button', { name: 'pause one', exact: true }).click();
    await page.getByRole('button', { name: 'unpause one', exact: true }).click();
    letGoOfCard();
    await page.getByRole('button', { name: 'pause one', exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-QUICK2] two clicks make one build', async () => {
    await using watched = await site.open('/teams/main/pipelines/one/jobs/j');
    const { page, complaints } = watched;
    const letGo = await holdAnswers(page, '/builds');
    await page.getByRole('button', { name: 'Trigger' }).dblclick();
    letGo();
    await page.waitForURL(/\/builds\/1$/);
    await page.locator('.build-succeeded').waitFor();
    expect(await site.fly.builds('one', 'j')).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test('[UI-QUICK3] a card is moved twice before the first place is saved, and its handle keeps the focus', async () => {
    await using watched = await site.open('/');
    const { page, complaints } = watched;
    const names = () => page.locator('[data-team-name="main"] .dashboard-pipeline-name').allTextContents();
    const gone = Promise.withResolvers<void>();
    const holdFirst = { times: 1 };
    await page.route(
      (url) => url.pathname.endsWith('/ordering'),
      async (route) => {
        await gone.promise;
        await route.continue();
      },
      holdFirst,
    );
    await page.getByRole('button', { name: 'Move one' }).focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(names).toEqual(['two', 'one', 'three', 'four']);
    await page.keyboard.press('ArrowRight');
    await expect.poll(names).toEqual(['two', 'three', 'one', 'four']);
    gone.resolve();
    await page.getByText('one is now 3 of 4').waitFor({ state: 'attached' });
    await page.reload();
    await expect.poll(names).toEqual(['two', 'three', 'one', 'four']);
    await page.getByRole('button', { name: 'Move one' }).focus();
    await page.evaluate(`
      window.focused = new Set();
      const cards = document.querySelector('[data-team-name="main"] .cards');
      const look = () => window.focused.add(document.activeElement.getAttribute('aria-label'));
      new MutationObserver(look).observe(cards, { childList: true });
    `);
    for (const place of [2, 1]) {
      await page.keyboard.press('ArrowLeft');
      await page.getByText(`one is now ${place} of 4`).waitFor({ state: 'attached' });
    }
    expect(await page.evaluate('[...window.focused]')).toEqual(['Move one']);
    expect(complaints).toEqual([]);
  });

  test('[UI-QUICK4] a page that somebody has used does not move by itself', async () => {
    const build = await site.fly.trigger('two', 'j');
    await site.fly.log(build, AbortSignal.timeout(60_000)); // to its end
    const lines = Array.from({ length: 20_000 }, (_, i) => `line ${i + 1}`);
    await site.web.fillLog(build, [
      { name: 'first', exitStatus: 1, lines },
      { name: 'second', exitStatus: 1, lines: ['the end'] },
    ]);
    await using watched = await site.browser.openPage();
    const { page, complaints } = watched;
    await page.addInitScript(pressAtSight('[data-step-name="first"] [data-step-state="failed"]', 'e'));
    await signIn(page, site.url, '/teams/main/pipelines/two/jobs/j/builds/1');
    await page.getByRole('searchbox', { name: 'Find in all logs' }).fill('the end');
    await page.getByText('1 hit', { exact: true }).waitFor();
    const bottom = async () => {
      const box = await page.locator('[data-step-name="first"]').boundingBox();
      return box ? box.y + box.height : -1;
    };
    const HEIGHT = 720;
    await expect.poll(async () => Math.abs((await bottom()) - HEIGHT) <= 2).toBe(true);
    expect(complaints).toEqual([]);
  });
});
