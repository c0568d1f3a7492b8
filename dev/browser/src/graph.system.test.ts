import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from './testing/find-barriers.ts';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const JOBS = 30;
const P = '/teams/main/pipelines/wide';

/** Jobs in a row: wider than any window. */
function yamlOf(jobs: number): string {
  return JSON.stringify({
    resources: [{ name: 'repo', type: 'git', source: { uri: 'git://127.0.0.1:1/none', branch: 'main' } }],
    jobs: Array.from({ length: jobs }, (_, i) => ({
      name: i === jobs - 1 ? 'deploy' : `stage-${i}`,
      plan: [{ get: 'repo', ...(i > 0 && { passed: [`stage-${i - 1}`] }) }],
    })),
  });
}

const PHONE = { viewport: { width: 375, height: 740 } };
const OUTPUTS = `
resources:
- { name: image, type: git, source: { uri: "git://127.0.0.1:1/none", branch: main } }
- { name: chat, type: git, source: { uri: "git://127.0.0.1:1/none", branch: main } }
jobs:
- { name: build, plan: [{ put: image }, { put: chat }] }
- { name: ship, plan: [{ get: image, passed: [build] }] }
`;

describe.skipIf(whyNoRoot())('the graph of a pipeline', () => {
  const site = useTestSite(IdleWeb.start, async ({ fly }) => {
    await fly.setPipeline('wide', yamlOf(JOBS));
    await fly.setPipeline('short', yamlOf(2));
    await fly.setPipeline('outputs', OUTPUTS);
    await fly.abort(await fly.trigger('wide', 'stage-3'));
  });

  test('[UI-PAGE27] jobs are searched by keys alone, and the first that is found is gone to and opened', async () => {
    await using watched = await site.open(P);
    const { page, complaints } = watched;
    const faint = page.locator('.job-node.not-found');
    const rows = page.locator('table:not(#resources) tbody tr');
    await expect.poll(() => page.locator('.job-node').count()).toBe(JOBS);
    await page.keyboard.press('/');
    await page.keyboard.type('dply');
    await page.getByText(`1 of ${JOBS} jobs`).waitFor();
    expect(await faint.count()).toBe(JOBS - 1);
    expect(await rows.count()).toBe(1);
    await page.waitForURL(/\?search=dply$/);
    expect(await findBarriers(page)).toEqual([]);
    const deploy = page.getByRole('link', { name: /^deploy: never ran/ });
    expect(await isInGraph(deploy)).toBe(false);
    await page.keyboard.press('Enter');
    await page.locator('.job-node.found:focus').waitFor();
    expect(await isInGraph(deploy)).toBe(true);
    await page.keyboard.press('/');
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.search === '');
    await expect.poll(() => faint.count()).toBe(0);
    expect(await page.getByLabel('Search jobs').inputValue()).toBe('');
    expect(await page.locator(':focus').count()).toBe(0);
    await page.goto(`${site.url}${P}?search=status:aborted`);
    await page.getByText(`1 of ${JOBS} jobs`).waitFor();
    await page.getByLabel('Search jobs').press('Enter');
    await page.locator('.job-node.found:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/jobs\/stage-3\/builds\/1$/);
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE25] the graph is zoomed by keys and buttons, and fits the window', async () => {
    await using watched = await site.open(P);
    const { page, complaints } = watched;
    const first = page.locator('.job-node').first();
    const last = page.getByRole('link', { name: /^deploy: never ran/ });
    await last.waitFor();
    const width = async () => (await first.boundingBox())?.width ?? 0;
    const whole = await width();
    await page.keyboard.press('+');
    await expect.poll(width).toBeCloseTo(whole * 1.25, 0);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await expect.poll(width).toBeCloseTo(whole * 1.25 ** 2, 0);
    await page.keyboard.press('-');
    await page.getByRole('button', { name: 'Zoom out' }).click();
    await expect.poll(width).toBeCloseTo(whole, 0);
    expect(await isInGraph(last)).toBe(false);
    await page.keyboard.press('f');
    await expect.poll(() => isInGraph(last)).toBe(true);
    expect(await isInGraph(first)).toBe(true);
    expect(await findBarriers(page)).toEqual([]);
    await page.keyboard.press('-');
    expect(await isInGraph(last)).toBe(true);
    await page.keyboard.press('0');
    await expect.poll(width).toBeCloseTo(whole, 0);
    await page.getByRole('button', { name: 'Fit to the window' }).click();
    await expect.poll(() => isInGraph(last)).toBe(true);
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE26] Ctrl and the wheel zoom at the pointer, not the page', async () => {
    await using watched = await site.open(P);
    const { page, complaints } = watched;
    const job = page.getByRole('link', { name: /^stage-4: / });
    await job.waitFor();
    const before = (await job.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    await page.mouse.move(before.x, before.y);
    await page.keyboard.down('Control');
    for (let n = 0; n < 5; n += 1) await page.mouse.wheel(0, -40);
    await page.keyboard.up('Control');
    const width = async () => (await job.boundingBox())?.width ?? 0;
    await expect.poll(width).toBeCloseTo(before.width * 4, 0);
    const shift = async () => Math.abs(((await job.boundingBox())?.x ?? 0) - before.x);
    expect(await shift()).toBeLessThan(3);
    // The picture is drawn anew at the end, and stays where it is.
    await page.locator('.graph > svg:not([style])').waitFor();
    expect(await shift()).toBeLessThan(3);
    expect(await width()).toBeCloseTo(before.width * 4, 0);
    expect(await page.evaluate('window.visualViewport.scale')).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('[UI-PAGE28] what a job puts and nobody gets further stands at its right, and leads to its resource', async () => {
    await using watched = await site.open('/teams/main/pipelines/outputs');
    const { page, complaints } = watched;
    const output = page.getByRole('link', { name: /^resource chat, put by build/ });
    await output.waitFor();
    expect(await page.locator('.resource-node').count()).toBe(1);
    const [job, put] = [await page.getByRole('link', { name: /^build: / }).boundingBox(), await output.boundingBox()];
    expect(put?.x).toBeGreaterThan((job?.x ?? 0) + (job?.width ?? 0));
    expect(await findBarriers(page)).toEqual([]);
    await output.focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/resources\/chat$/);
    expect(complaints).toEqual([]);
  });

  test('[UI-PHONE2] a phone shows that there is more of a wide graph, and where', async () => {
    await using watched = await site.open(P, PHONE);
    const { page, complaints } = watched;
    const shades = async () => {
      const classes = await page.locator('.graph-more').evaluateAll((all) => all.map(({ className }) => className));
      return classes.map((name) => name.replace(/.*-/, ''));
    };
    await expect.poll(shades).toEqual(['right']);
    expect(await findBarriers(page)).toEqual([]);
    const scroll = (left: number) => page.locator('.graph').evaluate((graph, x) => graph.scrollTo(x, 0), left);
    await scroll(200);
    await expect.poll(shades).toEqual(['left', 'right']);
    await scroll(100_000);
    await expect.poll(shades).toEqual(['left']);
    await page.keyboard.press('f');
    await expect.poll(shades).toEqual([]);
    await page.goto(`${site.url}/teams/main/pipelines/short`);
    const last = page.getByRole('link', { name: /^deploy: / });
    await last.waitFor();
    await expect.poll(() => isInGraph(last)).toBe(true);
    expect(Number.parseInt((await page.locator('.zoom').textContent()) ?? '', 10)).toBeLessThan(100);
    expect(await shades()).toEqual([]);
    expect(complaints).toEqual([]);
  });
});

/** Whether a node is in the part of the graph that is seen. */
async function isInGraph(node: Locator): Promise<boolean> {
  const [own, graph] = [await node.boundingBox(), await node.page().locator('.graph').boundingBox()];
  if (!own || !graph) return false;
  return own.x >= graph.x && own.x + own.width <= graph.x + graph.width;
}
