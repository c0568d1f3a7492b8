import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { LocalWeb, readExample } from '@seaplane/web/testing';
import { describe, expect, test, vi } from 'vitest';
import { useTestSite } from './testing/test-site.ts';

describe.skipIf(whyNoRoot())('the page of a resource', () => {
  const PATH = '/teams/main/pipelines/publish/resources/source';
  const site = useTestSite(LocalWeb.start, async ({ fly, web: { repository } }) => {
    repository.commit('a second commit');
    const vars = { repository: repository.url, branch: 'main' };
    await fly.setPipeline('publish', await readExample('git-test-publish', vars));
    const isPublished = async () => expect((await fly.builds('publish', 'publish'))[0]?.status).toBe('succeeded');
    await vi.waitFor(isPublished, { timeout: 240_000, interval: 200 });
  });

  test('[UI-PAGE5] a version shows its metadata and the builds that used it', async () => {
    await using watched = await site.open('/teams/main/pipelines/publish');
    const { page, complaints } = watched;
    await page.getByRole('link', { name: 'resource source' }).click();
    const newest = page.locator('.version').first();
    await newest.getByText('a second commit').first().waitFor();
    await newest.locator('.header').click();
    await newest.locator('.metadata', { hasText: 'Test' }).waitFor();
    await newest.getByRole('link', { name: 'test', exact: true }).waitFor();
    await newest.locator('.version-builds', { hasText: 'publish' }).waitFor();
    await newest.getByRole('link', { name: /^Link to ref:/ }).click();
    await page.waitForURL(`${site.url}${PATH}?filter=ref%3A${site.web.repository.commitOf('main')}`);
    await page.locator('.version .version-body').waitFor();
    await page.goto(`${site.url}/teams/main/pipelines/publish/resources/published`);
    await page.locator('.version .header').first().click();
    await page
      .locator('.version-builds section', { hasText: 'Outputs of' })
      .getByRole('link', { name: 'publish' })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE6] a version is pinned with a comment, disabled, and unpinned, by keys alone', async () => {
    await using watched = await site.open(PATH);
    const { page, complaints } = watched;
    await page.getByRole('button', { name: 'Pin Resource Version' }).first().focus();
    await page.keyboard.press('Enter');
    await page.locator('#pin-bar table', { hasText: site.web.repository.commitOf('main') }).waitFor();
    const comment = page.getByRole('textbox', { name: 'Comment on the pin' });
    await expect.poll(() => comment.inputValue()).toMatch(/^pinned by test on \d{4}-/);
    await comment.fill('until the fix is out');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
    await page.reload();
    expect(await comment.inputValue()).toBe('until the fix is out');
    await page.locator('#pin-icon').focus();
    await page.keyboard.press('Enter');
    await page.locator('#pin-bar').waitFor({ state: 'detached' });
    const isUsed = page.getByRole('switch', { name: /^Builds may use ref:/ }).first();
    await isUsed.focus();
    await page.keyboard.press('Space');
    await page.locator('.version .tag', { hasText: 'disabled' }).waitFor();
    await isUsed.press('Space');
    await page.locator('.version .tag').waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE7] a check finds a new version and shows its output; an error of a check is shown without a click', async () => {
    await using watched = await site.open(PATH);
    const { page, complaints } = watched;
    site.web.repository.commit('found by a check');
    await page.getByRole('button', { name: 'Check now' }).click();
    await page.locator('.check-output .step').waitFor();
    await page.locator('.version', { hasText: 'found by a check' }).waitFor();
    await site.fly.setPipeline(
      'broken',
      'resources: [{ name: gone, type: git, source: { uri: "git://127.0.0.1:1/none", branch: main } }]\njobs: [{ name: j, plan: [{ get: gone }] }]',
    );
    await page.goto(`${site.url}/teams/main/pipelines/broken/resources/gone`);
    await page.locator('.last-check', { hasText: /Last check (failed|errored)/ }).waitFor();
    await page.locator('.last-check .log-line, .last-check .step-error').first().waitFor();
    await page.getByText('No version was found yet.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE13] a version is followed through the pipeline, and all that came of it and led to it is shown', async () => {
    await using watched = await site.open(PATH);
    const { page, complaints } = watched;
    await page.locator('.version .header').last().click();
    await page.getByRole('link', { name: 'Follow it in the pipeline' }).click();
    await page.getByText('it has reached 2 of 2 jobs').waitFor();
    await page.getByRole('link', { name: 'test: succeeded, build 1' }).waitFor();
    await page.getByRole('link', { name: 'All that came of it' }).click();
    await page.getByRole('heading', { name: 'What came of source' }).waitFor();
    await page.getByRole('link', { name: 'publish #1: succeeded' }).waitFor();
    await page.locator('.cause-resource', { hasText: 'published' }).locator('.cause-version').first().click();
    await page.getByRole('heading', { name: 'What came of published' }).waitFor();
    await page.getByRole('link', { name: 'What led to it' }).click();
    await page.getByRole('heading', { name: 'What led to published' }).waitFor();
    await page.locator('.cause-resource', { hasText: 'source' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE17] the version of a step is marked as new, and leads to its resource', async () => {
    await using watched = await site.open('/teams/main/pipelines/publish/jobs/test/builds/1');
    const { page, complaints } = watched;
    const step = page.locator('.step', { hasText: 'get: source' });
    await step.locator('.tag', { hasText: 'new version' }).waitFor();
    await step.locator('.header').click();
    await step.getByRole('link', { name: 'This version of source' }).click();
    await page.waitForURL(/\/resources\/source\?filter=ref%3A/);
    await page.locator('.version .version-body').waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE8] somebody who is not signed in reads why a change is not possible', async () => {
    await using watched = await site.browser.openPage();
    const { page } = watched;
    await site.fly.exposePipeline('publish');
    await page.goto(`${site.url}${PATH}`);
    const check = page.getByRole('button', { name: 'Check now' });
    await check.waitFor();
    expect(await check.getAttribute('aria-description')).toBe('Sign in to do this');
    expect(await check.getAttribute('aria-disabled')).toBe('true');
  });
});
