import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { LocalWeb } from '@seaplane/web/testing';
import { describe, expect, test } from 'vitest';
import { pressInARow } from './testing/press-in-a-row.ts';
import { useTestSite } from './testing/test-site.ts';

const PHONE = { viewport: { width: 375, height: 740 } };
const YAML = `
jobs:
- name: quick
  plan: [{ task: say, config: { platform: linux, run: { path: echo, args: [hello] } } }]
- name: slow
  plan: [{ task: wait, config: { platform: linux, run: { path: sleep, args: ['600'] } } }]
- name: red
  plan: [{ task: fail, config: { platform: linux, run: { path: 'false' } } }]
`;

describe.skipIf(whyNoRoot())('pages about everything', () => {
  const site = useTestSite(LocalWeb.start, async ({ fly }) => {
    await fly.setPipeline('many', YAML);
    await fly.log(await fly.trigger('many', 'red'), AbortSignal.timeout(60_000)); // to its end
  });

  test.each([
    ['desktop', {}],
    ['phone', PHONE],
  ])('[UI-ACT3] activity shows what runs and what ended, as it happens, on a %s', async (_, options) => {
    await using watched = await site.open('/', options);
    const { page, complaints } = watched;
    await page.getByRole('link', { name: 'Activity' }).click();
    const section = (name: string) => page.getByRole('region', { name });
    await section('Ended')
      .getByRole('link', { name: /^many \/ red #1/ })
      .waitFor();
    const slow = await site.fly.trigger('many', 'slow');
    await section('Running')
      .getByRole('link', { name: /^many \/ slow/ })
      .waitFor();
    await site.fly.abort(slow);
    await section('Ended')
      .getByRole('link', { name: /^many \/ slow/ })
      .first()
      .waitFor();
    await page.getByLabel('only failed').check();
    await section('Ended')
      .getByRole('link', { name: /^many \/ slow/ })
      .first()
      .waitFor({ state: 'detached' });
    await section('Ended')
      .getByRole('link', { name: /^many \/ red/ })
      .click();
    await page.locator('.build-failed').waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-TIMELINE3] the timeline of a build has a bar for each step, which leads to its log', async () => {
    const { fly } = site;
    await fly.log(await fly.trigger('many', 'quick'), AbortSignal.timeout(60_000)); // to its end
    await using watched = await site.open('/teams/main/pipelines/many/jobs/quick/builds/1');
    const { page, complaints } = watched;
    await page.getByRole('link', { name: 'Timeline' }).click();
    await page.waitForURL(/\?view=timeline$/);
    await page.getByRole('img', { name: /running \d+ s|inputs ready \d+ s/ }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: /say$/ }).click();
    await page.locator('.log-line.selected', { hasText: 'hello' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-PAL2] the palette leads to a job by keys alone', async () => {
    await using watched = await site.open('/workers');
    const { page, complaints } = watched;
    await page.locator('.worker').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('many quick');
    await page.getByRole('option', { name: 'many / quick' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/pipelines\/many\/jobs\/quick$/);
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await pressInARow(page, 'ga', /\/activity$/);
    expect(complaints).toEqual([]);
  });

  test('[UI-WORK2] a worker is landed after a question, and the page says what that means', async () => {
    await using watched = await site.open('/workers');
    const { page, complaints } = watched;
    const worker = page.locator('[data-worker-name="here"]');
    await worker.getByText('running', { exact: true }).waitFor();
    await page.getByText('1 worker · all well').waitFor();
    const dialog = page.getByRole('dialog', { name: 'Land here' });
    await worker.getByRole('button', { name: 'Land' }).click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await dialog.waitFor({ state: 'hidden' });
    expect(await worker.getByText('running', { exact: true }).isVisible()).toBe(true);
    await worker.getByRole('button', { name: 'Land' }).click();
    await dialog.getByRole('button', { name: 'Land' }).click();
    await dialog.getByText('The worker lands.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await worker.getByText(/It takes no (new )?steps/).waitFor();
    await page.getByText('1 worker · 1 with problems').waitFor();
    expect(complaints).toEqual([]);
  });
});
