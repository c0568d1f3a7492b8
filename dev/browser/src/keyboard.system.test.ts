import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { LocalWeb } from '@seaplane/web/testing';
import { describe, expect, test } from 'vitest';
import { enterAt, stopsOf, tabTo } from './testing/keyboard.ts';
import { useTestSite } from './testing/test-site.ts';

const yamlOf = (repository: string) => `
resources:
- { name: source, type: git, source: { uri: "${repository}", branch: main } }
jobs:
- name: wait
  plan:
  - { get: source }
  - { task: wait, config: { platform: linux, run: { path: sleep, args: ['600'] } } }
`;

describe.skipIf(whyNoRoot())('keyboard alone', () => {
  const site = useTestSite(LocalWeb.start, ({ fly, web }) => fly.setPipeline('keys', yamlOf(web.repository.url)));

  test('[UI-KEYS1] a user signs in, triggers, aborts, reruns, checks, pins and goes anywhere without a pointer', async () => {
    await using watched = await site.browser.openPage();
    const { page, complaints } = watched;
    const link = (name: string | RegExp) => page.getByRole('link', { name });
    const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true });
    await page.goto(site.url);
    await enterAt(page, link('Sign in'));
    await page.locator('#login:focus').waitFor();
    await page.keyboard.type('test');
    await page.keyboard.press('Tab');
    await page.keyboard.type('test');
    await page.keyboard.press('Enter');
    await page.locator('.card').waitFor();
    await enterAt(page, page.locator('.dashboard-pipeline-name'));
    await enterAt(page, link(/^wait: never ran/));
    await enterAt(page, button('Trigger'));
    await page.waitForURL(/\/jobs\/wait\/builds\/1$/);
    await page.locator('.build-started').waitFor();
    await enterAt(page, button('Abort Build'));
    await page.locator('.build-aborted').waitFor();
    await enterAt(page, button('Rerun Build'));
    await page.waitForURL(/\/jobs\/wait\/builds\/1\.1$/);
    await page.locator('.build-started').waitFor();
    await page.keyboard.press('A');
    await page.locator('.build-aborted').waitFor();
    await page.keyboard.press('T');
    await page.waitForURL(/\/jobs\/wait\/builds\/2$/);
    await page.locator('.build-started').waitFor();
    await page.keyboard.press('A');
    await page.locator('.build-aborted').waitFor();
    await enterAt(
      page,
      page.getByRole('navigation', { name: 'Where you are' }).getByRole('link', { name: 'keys' }),
      'Shift+Tab',
    );
    await enterAt(page, link('resource source'));
    await enterAt(page, button('Check now'));
    await page.locator('.check-output .step').waitFor();
    await enterAt(page, button('Pin Resource Version'));
    await page.locator('#pin-bar').waitFor();
    await tabTo(page, page.getByRole('textbox', { name: 'Comment on the pin' }), 'Shift+Tab');
    await enterAt(page, page.locator('#pin-icon'), 'Shift+Tab');
    await page.locator('#pin-bar').waitFor({ state: 'detached' });
    await enterAt(page, page.locator('.version .header'));
    await page.locator('.version-body').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('workers');
    await page.getByRole('option', { name: 'Workers' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/workers$/);
    await page.locator('.worker').waitFor();
    expect(complaints).toEqual([]);
  });

  test.for(['/', '/teams/main/pipelines/keys', '/workers'])(
    '[UI-KEYS2] the focus goes through %s in both directions, and is seen everywhere',
    async (path) => {
      await using watched = await site.open(path);
      const { page, complaints } = watched;
      await page.locator('.card, .job-node, .worker').first().waitFor();
      await page.locator('.live-live').waitFor();
      const forwards = await stopsOf(page, 'Tab');
      expect(forwards.length).toBeGreaterThan(5);
      expect(forwards.filter((stop) => stop.endsWith('(invisible)'))).toEqual([]);
      expect((await stopsOf(page, 'Shift+Tab')).toReversed()).toEqual(forwards);
      expect(complaints).toEqual([]);
    },
  );

  test('[UI-KEYS3] the focus goes into a page that was gone to, and the skip link leads past the bar', async () => {
    await using watched = await site.open('/workers');
    const { page, complaints } = watched;
    await page.locator('.worker').waitFor();
    await enterAt(page, page.getByRole('link', { name: 'Activity' }));
    await page.locator('main:focus').waitFor();
    await page.reload();
    await enterAt(page, page.getByRole('link', { name: 'Skip to the content' }));
    await tabTo(page, page.getByLabel('only failed'));
    expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    expect(complaints).toEqual([]);
  });
});
