import { describe, expect, test } from 'vitest';
import { findBarriers } from './testing/find-barriers.ts';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const BUILDS = 160;
const PATH = '/teams/main/pipelines/often/jobs/j/builds';

describe('a job with many builds', () => {
  const site = useTestSite(IdleWeb.start, async ({ fly }) => {
    await fly.setPipeline('often', 'jobs: [{ name: j, plan: [] }]');
    for (let i = 0; i < BUILDS; i++) await fly.trigger('often', 'j');
  });

  test('[UI-HIST2] older builds are listed on request, by keys', async () => {
    await using watched = await site.open(`${PATH}/${BUILDS}`);
    const { page, complaints } = watched;
    const names = () => page.locator('#builds .number').allTextContents();
    await expect.poll(async () => (await names()).length).toBe(100);
    expect((await names()).at(-1)).toBe(`#${BUILDS - 99}`);
    const older = page.getByRole('button', { name: 'Older' });
    await older.focus();
    await page.keyboard.press('Enter');
    await older.waitFor({ state: 'detached' });
    expect(await names()).toEqual(Array.from({ length: BUILDS }, (_, i) => `#${BUILDS - i}`));
    expect(await findBarriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test.for([
    ['a desktop', 1_280],
    ['a phone', 390],
  ] as const)(
    '[UI-HIST2] an old build is in the list and in view, between its neighbours, on %s',
    async ([, width]) => {
      await using watched = await site.open(`${PATH}/20`, { viewport: { width, height: 720 } });
      const { page, complaints } = watched;
      const current = page.locator('#builds [aria-current="page"]');
      await current.getByText('#20', { exact: true }).waitFor();
      const [outer, inner] = [await page.locator('.build-history').boundingBox(), await current.boundingBox()];
      if (!outer || !inner) throw new Error('the list or the build is not there');
      expect(inner.y).toBeGreaterThanOrEqual(outer.y);
      expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y + outer.height);
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width);
      expect(await page.locator('#builds li').count()).toBeLessThanOrEqual(100);
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press('l');
      await page.waitForURL(`${site.url}${PATH}/19`);
      await page.getByRole('heading', { name: '#19' }).waitFor();
      await page.keyboard.press('h');
      await page.waitForURL(`${site.url}${PATH}/20`);
      await page.getByRole('link', { name: 'Newest' }).click();
      await page.getByRole('heading', { name: `#${BUILDS}` }).waitFor();
      expect(complaints).toEqual([]);
    },
  );
});
