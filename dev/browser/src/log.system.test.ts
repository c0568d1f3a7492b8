import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { describe, expect, test } from 'vitest';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const LINES = 100_000;
/** Of the window. */
const HEIGHT = 720;

describe.skipIf(whyNoRoot())('a long log', () => {
  const PATH = '/teams/main/pipelines/long/jobs/j/builds/1';
  const site = useTestSite(IdleWeb.start, async ({ fly, web }) => {
    await fly.setPipeline('long', 'jobs: [{ name: j, plan: [] }]');
    const build = await fly.trigger('long', 'j');
    await fly.log(build, AbortSignal.timeout(60_000)); // to its end
    await web.fillLog(build, [
      { name: 'good', exitStatus: 0, lines: Array.from({ length: 10 }, (_, i) => `good line ${i + 1}`) },
      {
        name: 'long',
        exitStatus: 1,
        lines: Array.from({ length: LINES }, (_, i) => `line ${i + 1}${i % 1_000 === 0 ? ' needle' : ''}`),
      },
      { name: 'after', exitStatus: 2, lines: ['a needle too'] },
    ]);
  });

  test('[UI-FAIL2] the page opens at the end of the first step that went wrong, and e goes to the next', async () => {
    await using watched = await site.open(PATH);
    const { page, complaints } = watched;
    await expect.poll(() => page.getByText(`line ${LINES}`, { exact: true }).isVisible()).toBe(true);
    const endsInView = async (name: string) => {
      const box = await page.locator(`[data-step-name="${name}"]`).boundingBox();
      const bottom = box ? box.y + box.height : -1;
      return bottom > 0 && bottom <= HEIGHT + 1;
    };
    await expect.poll(() => endsInView('long')).toBe(true);
    await page.keyboard.press('e');
    await expect.poll(() => endsInView('after')).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('[UI-LOG7] few of the lines are in the page, and all can be reached', async () => {
    await using watched = await site.open(PATH);
    const { page, complaints } = watched;
    await page.getByText(`line ${LINES}`, { exact: true }).waitFor();
    expect(await page.locator('.log-line').count()).toBeLessThan(1_000);
    const step = page.locator('[data-step-name="long"]');
    const height = await step.evaluate(({ offsetHeight }: { offsetHeight?: number }) => offsetHeight ?? 0);
    expect(Math.round(height / (LINES * 20))).toBe(1);
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight / 2)');
    await expect.poll(() => step.locator('.log-line').first().getAttribute('data-line')).toMatch(/^[45]\d{4}$/);
    const plan = await step.getAttribute('data-step-id');
    await page.goto('about:blank');
    await page.goto(`${site.url}${PATH}#L${plan}:54321:54322`);
    await page.locator('.log-line.selected', { hasText: /line 54321$/ }).waitFor();
    const top = async () => (await page.locator('[data-line="54321"]').boundingBox())?.y ?? -1;
    await expect.poll(async () => (await top()) > 0 && (await top()) < HEIGHT).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('[UI-KEYS4] j and k scroll by 60 pixels, but not in a field', async () => {
    await using watched = await site.open(`${PATH}#Lp1:500`);
    const { page, complaints } = watched;
    await page.locator('.log-line.selected', { hasText: /line 500$/ }).waitFor();
    const scrolled = () => page.evaluate<number>('window.scrollY');
    await expect.poll(scrolled).toBeGreaterThan(1_000);
    const start = await scrolled();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await scrolled()).toBe(start + 120);
    await page.keyboard.press('k');
    expect(await scrolled()).toBe(start + 60);
    await page.keyboard.press('/');
    await page.keyboard.type('jk');
    expect(await page.locator('.find-bar input').inputValue()).toBe('jk');
    expect(complaints).toEqual([]);
  });

  test('[UI-FIND4] a text is found in all logs; each hit is marked and can be reached', async () => {
    await using watched = await site.open(PATH);
    const { page, complaints } = watched;
    await page.getByText(`line ${LINES}`, { exact: true }).waitFor();
    await page.keyboard.press('Control+f');
    await page.keyboard.type('NEEDLE');
    await page.getByText('101 hits').waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.getByText('101 of 101').waitFor();
    await page.locator('[data-step-name="after"] mark.current', { hasText: 'needle' }).waitFor();
    await page.keyboard.press('Shift+Enter');
    await page.getByText('100 of 101').waitFor();
    const current = page.locator('[data-step-name="long"] [data-line="99001"] mark.current');
    await current.waitFor();
    await expect.poll(() => current.isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Match case' }).click();
    await page.getByText('no hits').waitFor();
    await page.getByRole('button', { name: 'Regular expression' }).click();
    await page.getByRole('searchbox', { name: 'Find in all logs' }).fill('^good line [135]$');
    await page.getByText('3 hits').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('[data-step-name="good"] mark.current', { hasText: 'good line 1' }).waitFor();
    await page.getByRole('searchbox', { name: 'Find in all logs' }).fill('(');
    await page.getByText('not a regular expression').waitFor();
    expect(complaints).toEqual([]);
  });
});
