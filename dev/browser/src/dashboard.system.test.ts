import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const YAML = 'jobs: [{ name: j, plan: [] }]';

describe.skipIf(whyNoRoot())('all pipelines', () => {
  const site = useTestSite(IdleWeb.start, async ({ fly }) => {
    for (const name of ['one', 'two', 'three']) await fly.setPipeline(name, YAML);
    for (const region of ['east', 'west']) await fly.setPipeline('fleet', YAML, `vars.region="${region}"`);
  });

  const names = (page: Page) => page.locator('[data-team-name="main"] .dashboard-pipeline-name').allTextContents();

  test('[UI-PAGE9] the side bar leads to every pipeline, and stays as it was left', async () => {
    await using watched = await site.open('/teams/main/pipelines/two');
    const { page, complaints } = watched;
    await page.getByRole('button', { name: 'Side bar' }).click();
    const bar = page.getByRole('navigation', { name: 'Pipelines' });
    await bar.getByRole('link', { name: 'two' }).and(page.locator('[aria-current="page"]')).waitFor();
    await bar.getByRole('button', { name: 'Favourite three' }).click();
    await bar.getByText('Favourites').waitFor();
    await bar.getByRole('button', { name: 'Favourite fleet' }).click();
    const starred = bar.locator('details', { hasText: 'Favourites' });
    await expect.poll(() => starred.getByRole('link').allTextContents()).toEqual(['fleet', 'three']);
    await bar.getByRole('separator').focus();
    await page.keyboard.press('ArrowRight');
    await page.reload();
    expect(Math.round((await bar.boundingBox())?.width ?? 0)).toBe(295);
    expect(await page.evaluate(() => localStorage.getItem('side_bar_state'))).toBe('{"is_open":true,"width":295}');
    await bar.getByRole('link', { name: 'three' }).first().click();
    await page.getByRole('heading', { name: 'three' }).waitFor();
    await bar.getByRole('link', { name: 'fleet' }).first().click();
    await page.locator('.card', { hasText: 'region: east' }).first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-SUGGEST2] the search completes its last term', async () => {
    await using watched = await site.open('/');
    const { page, complaints } = watched;
    await page.locator('.card').first().waitFor();
    const suggested = () =>
      page
        .locator('#search-terms option')
        .evaluateAll((options) => options.map((option) => (option as unknown as { value: string }).value));
    await page.keyboard.press('/');
    await expect.poll(suggested).toEqual(expect.arrayContaining(['status:', 'status:failed', 'team:', 'group:']));
    await page.keyboard.type('team:');
    await expect.poll(suggested).toEqual(['team:main']);
    await page.keyboard.type('main -st');
    await expect.poll(suggested).toContain('team:main -status:paused');
    await page.locator('#search-input-field').fill('group:');
    await expect.poll(suggested).toEqual(['group:fleet']);
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE10] cards are moved by keys and by dragging, and stay there', async () => {
    await using watched = await site.open('/');
    const { page, complaints } = watched;
    await page.getByRole('button', { name: 'Move one' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('one is now 2 of 4').waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowRight');
    await page.getByText('one is now 3 of 4').waitFor({ state: 'attached' });
    await page.reload();
    await expect.poll(() => names(page)).toEqual(['two', 'three', 'one', 'fleet']);
    await page.locator('.card[data-pipeline-name="fleet"]').dragTo(page.locator('.card[data-pipeline-name="three"]'));
    await expect.poll(() => names(page)).toEqual(['two', 'fleet', 'three', 'one']);
    await page.getByText('fleet is now 2 of 4').waitFor({ state: 'attached' });
    await page.reload();
    await expect.poll(() => names(page)).toEqual(['two', 'fleet', 'three', 'one']);
    await page.getByRole('link', { name: 'fleet' }).first().click();
    await page.getByRole('button', { name: 'Move fleet' }).last().focus();
    await page.keyboard.press('ArrowLeft');
    await page.getByText('fleet is now 1 of 2').waitFor({ state: 'attached' });
    await page.reload();
    await expect.poll(() => page.locator('.card .vars').allTextContents()).toEqual(['region: west', 'region: east']);
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE11] an administrator writes a message over every page, and clears it', async () => {
    await using watched = await site.open('/');
    const { page, complaints } = watched;
    await page.getByRole('button', { name: 'Message to all users' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('<b>down</b> at noon: https://status.example.com/x');
    await page.getByRole('button', { name: 'Show it' }).click();
    const wall = page.locator('#wall');
    await wall.getByRole('link', { name: 'https://status.example.com/x' }).waitFor();
    expect(await wall.textContent()).toBe('<b>down</b> at noon: https://status.example.com/x');
    await using other = await site.browser.openPage();
    await other.page.goto(`${site.url}/teams/main/pipelines/one`);
    await other.page.locator('#wall').waitFor();
    expect(await other.page.getByRole('button', { name: 'Message to all users' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Message to all users' }).click();
    await page.getByRole('button', { name: 'Clear it' }).click();
    await wall.waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE12] a card pauses its pipeline, and lets everybody see it', async () => {
    await using watched = await site.open('/');
    const { page, complaints } = watched;
    await page.getByRole('button', { name: 'pause one', exact: true }).click();
    await page.locator('.card[data-pipeline-name="one"] [style*="ic-play"]').click();
    await page.getByRole('button', { name: 'pause one', exact: true }).waitFor();
    await page.getByRole('button', { name: 'expose one' }).click();
    await page.getByRole('button', { name: 'hide one' }).waitFor();
    await using other = await site.browser.openPage();
    await other.page.goto(site.url);
    await expect.poll(() => names(other.page)).toEqual(['one']);
    const pause = other.page.getByRole('button', { name: 'pause one', exact: true });
    expect(await pause.getAttribute('aria-description')).toBe('Sign in to do this');
    await page.getByRole('button', { name: 'hide one' }).click();
    await page.getByRole('button', { name: 'expose one' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE14] a job says why it does not run; its builds are rerun, and show what they got', async () => {
    await using watched = await site.open('/teams/main/pipelines/two/jobs/j');
    const { page, complaints } = watched;
    await page.getByText('The job has no inputs: it runs when somebody triggers it.').waitFor();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The job is paused by test.').waitFor();
    await page.getByRole('button', { name: 'Unpause' }).click();
    await page.getByRole('button', { name: 'Trigger' }).click();
    await page.waitForURL(/\/jobs\/j\/builds\/1$/);
    await page.locator('.build-succeeded').waitFor();
    await page.goto(`${site.url}/teams/main/pipelines/two/jobs/j`);
    await page.getByRole('button', { name: 'Versions of #1' }).click();
    await page.locator('.version-builds', { hasText: 'nothing' }).waitFor();
    await page.getByRole('button', { name: 'Rerun #1' }).click();
    await page.waitForURL(/\/jobs\/j\/builds\/1\.1$/);
    expect(complaints).toEqual([]);
  });
});
