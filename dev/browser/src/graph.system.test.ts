import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { findBarriers } from './testing/find-barriers.ts';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const JOBS = 30;
const P = '/teams/main/pipelines/wide';

/** Jobs in a row: wider than any window. */
const YAML = JSON.stringify({
  resources: [{ name: 'repo', type: 'git', source: { uri: 'git://127.0.0.1:1/none', branch: 'main' } }],
  jobs: Array.from({ length: JOBS }, (_, i) => ({
    name: i === JOBS - 1 ? 'deploy' : `stage-${i}`,
    plan: [{ get: 'repo', ...(i > 0 && { passed: [`stage-${i - 1}`] }) }],
  })),
});

describe.skipIf(whyNoRoot())('the graph of a pipeline', () => {
  const site = useTestSite(IdleWeb.start, async ({ fly }) => {
    await fly.setPipeline('wide', YAML);
    await fly.abort(await fly.trigger('wide', 'stage-3'));
  });

  test('[UI-PAGE24] jobs are searched by keys alone, and the first that is found is gone to and opened', async () => {
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
});

/** Whether a node is in the part of the graph that is seen. */
async function isInGraph(node: Locator): Promise<boolean> {
  const [own, graph] = [await node.boundingBox(), await node.page().locator('.graph').boundingBox()];
  if (!own || !graph) return false;
  return own.x >= graph.x && own.x + own.width <= graph.x + graph.width;
}
