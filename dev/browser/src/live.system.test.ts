import { readFile } from 'node:fs/promises';
import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { LocalWeb } from '@seaplane/web/testing';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from './testing/find-barriers.ts';
import { Gate } from './testing/gate.ts';
import type { Watched } from './testing/test-browser.ts';
import { useTestSite } from './testing/test-site.ts';

const LINES = 200;
/** So many lines are printed before the program waits at its gate. */
const BEFORE = 20;

/** Prints a few lines, and the others when somebody opens the gate. */
const yamlOf = (gate: Gate) => `
jobs:
- name: count
  plan:
  - task: count
    config:
      platform: linux
      run:
        path: bash
        args:
        - -c
        - |
          for i in $(seq ${BEFORE}); do echo "line $i"; done
          ${gate.wait}
          for i in $(seq ${BEFORE + 1} ${LINES}); do echo "line $i"; done
`;

describe.skipIf(whyNoRoot())('live pages', () => {
  const site = useTestSite(LocalWeb.start, ({ fly }) => fly.setPipeline('live', 'jobs: [{ name: empty, plan: [] }]'));

  /** How many requests of an address, begun after `since`, have come to their end, by the page's own count. */
  function requestsOf(page: Page, address: string, since = 0): Promise<number> {
    const wanted = `({ name, startTime }) => new URL(name).pathname.endsWith('${address}') && startTime > ${since}`;
    return page.evaluate(`performance.getEntriesByType('resource').filter(${wanted}).length`);
  }

  /** Opens the page of a job, and triggers it there. The page is then that of a build that waits at the gate. */
  async function openWaiting(pipeline: string, gate: Gate): Promise<Watched> {
    await site.fly.setPipeline(pipeline, yamlOf(gate));
    const watched = await site.open(`/teams/main/pipelines/${pipeline}/jobs/count`);
    await watched.page.getByRole('button', { name: 'Trigger' }).click();
    await watched.page.locator('.log-text', { hasText: new RegExp(`^line ${BEFORE}$`) }).waitFor();
    return watched;
  }

  test('[UI-LIVE1] every page shows what happens elsewhere, by asking when it is announced', async () => {
    await using watched = await site.open('/');
    const { page, complaints } = watched;
    const { fly } = site;
    await page.locator('.live-live').waitFor();
    await page.getByRole('link', { name: /^empty: never ran/ }).waitFor();
    // The first load, and the one after the stream was opened. A change of the pipeline may still be announced.
    const loads = () => requestsOf(page, '/api/v1/jobs');
    await expect.poll(loads).toBeGreaterThanOrEqual(2);
    const before = await loads();
    const build = await fly.trigger('live', 'empty');
    await page.getByRole('link', { name: /^empty: succeeded/ }).waitFor();
    await expect.poll(loads).toBeGreaterThan(before);
    await fly.setPipeline('second', 'jobs: [{ name: other, plan: [] }]');
    await page.locator('.card[data-pipeline-name="second"]').waitFor();
    await fly.destroyPipeline('second');
    await page.locator('.card[data-pipeline-name="second"]').waitFor({ state: 'detached' });
    await page.goto(`${site.url}/teams/main/pipelines/live/jobs/empty`);
    await page.locator('.live-live').waitFor();
    await page.locator('tr[data-build-name="1"]').waitFor();
    await fly.trigger('live', 'empty');
    await page.locator('tr[data-build-name="2"]', { hasText: 'succeeded' }).waitFor();
    expect(await fly.status(build)).toBe('succeeded');
    expect(complaints).toEqual([]);
  });

  test('[UI-LIVE4] after kill -9 of web the page goes on: every line is there once, and changes arrive', async () => {
    await using gate = await Gate.make();
    await using watched = await openWaiting('killed', gate);
    const { page } = watched;
    await site.web.web.kill('SIGKILL');
    await page.locator('.live-cut').waitFor();
    await page.getByText('The server does not answer.').waitFor();
    await site.web.startAgain();
    await page.locator('.live-live').waitFor();
    await page.locator('.banner').waitFor({ state: 'detached' });
    gate.open();
    await page.locator('.build-succeeded').waitFor();
    await page.getByRole('searchbox', { name: 'Find in all logs' }).fill('line');
    await page.getByText(`${LINES} hits`).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save log' }).click(),
    ]);
    const lines = Array.from({ length: LINES }, (_, i) => `line ${i + 1}`);
    expect(await readFile(await download.path(), 'utf8')).toBe(['== task: count', ...lines, ''].join('\n'));
    await site.fly.trigger('killed', 'count');
    await page.locator('#builds').getByText('#2', { exact: true }).waitFor();
  });

  test.for([
    ['a desktop', 1_280, 720],
    ['a phone', 390, 700],
  ] as const)(
    '[UI-HEAD1] a running build is named and aborted at the end of its log, on %s',
    async ([on, width, height]) => {
      await using gate = await Gate.make();
      const pipeline = `head-${width}`;
      await using watched = await openWaiting(pipeline, gate);
      const { page, complaints } = watched;
      await page.setViewportSize({ width, height });
      const head = page.locator('.slim-head-bar');
      await page.evaluate('window.scrollTo(0, 0)');
      await head.waitFor({ state: 'detached' });
      const plan = await page.locator('[data-step-name="count"]').getAttribute('data-step-id');
      await page.goto('about:blank');
      await page.goto(`${site.url}/teams/main/pipelines/${pipeline}/jobs/count/builds/1#L${plan}:${BEFORE}`);
      const line = page.locator('.log-line.selected');
      await line.waitFor();
      await page.setViewportSize({ width, height: 300 });
      await page.reload();
      await head.getByText('count #1').waitFor();
      const [lineBox, headBox] = [await line.boundingBox(), await head.boundingBox()];
      if (!lineBox || !headBox) throw new Error(`on ${on} the line or the head is not there`);
      expect(lineBox.y).toBeGreaterThanOrEqual(headBox.y + headBox.height);
      expect(headBox.y).toBeGreaterThanOrEqual(0);
      expect(headBox.width).toBeLessThanOrEqual(width);
      expect(await findBarriers(page)).toEqual([]);
      await head.getByRole('button', { name: 'Abort' }).click();
      await page.locator('.build-header.build-aborted').waitFor();
      await head.waitFor({ state: 'detached' });
      expect(complaints).toEqual([]);
    },
  );

  test('[UI-LIVE6] while the server does not answer, a page says how old it is; then it goes on', async () => {
    await site.fly.setPipeline('old', 'jobs: [{ name: empty, plan: [] }]');
    const paths = [
      '/?search=old',
      '/teams/main/pipelines/old',
      '/teams/main/pipelines/old/jobs/empty',
      '/activity',
      '/workers',
    ];
    const opened: Watched[] = [];
    for (const path of paths) opened.push(await site.open(path));
    for (const { page } of opened) await page.locator('.live-live').waitFor();
    await site.web.web.kill('SIGKILL');
    for (const { page } of opened) {
      const words = page.getByRole('status').filter({ hasText: 'The server does not answer.' });
      await words.getByText(/\d/).waitFor();
      expect(await page.locator('.banner').count()).toBe(1);
    }
    await site.web.startAgain();
    for (const { page } of opened) await page.locator('.banner').waitFor({ state: 'detached' });
    for (const { page } of opened) await page.locator('.live-live').waitFor();
    await site.fly.trigger('old', 'empty');
    await opened[2]?.page.locator('tr[data-build-name="1"]', { hasText: 'succeeded' }).waitFor();
    for (const watched of opened) await watched[Symbol.asyncDispose]();
  });

  test('[UI-LIVE5] a hidden page has no streams, and goes on where it was when somebody looks at it', async () => {
    await using gate = await Gate.make();
    await using watched = await openWaiting('hidden', gate);
    const { page, complaints } = watched;
    await page.locator('.live-live').waitFor();
    const hidden = await page.evaluate<number>('performance.now()');
    const set = (state: 'hidden' | 'visible') =>
      page.evaluate(`
        Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await set('hidden');
    await page.locator('.live-waiting').waitFor();
    await set('visible');
    await page.locator('.live-live').waitFor();
    gate.open();
    await page.locator('.build-succeeded').waitFor();
    await expect.poll(() => requestsOf(page, '/events', hidden)).toBe(1);
    await page.getByRole('searchbox', { name: 'Find in all logs' }).fill('line');
    await page.getByText(`${LINES} hits`).waitFor();
    expect(complaints).toEqual([]);
  });
});
