import { IdleWeb } from '@seaplane/dev-browser/testing/idle-web.ts';
import { signIn, TestBrowser } from '@seaplane/dev-browser/testing/test-browser.ts';
import { ApiUser } from '@seaplane/web/testing';
import type { CDPSession, Page } from 'playwright-core';
import type { AloneOptions } from './bench-database.ts';
import { table } from './table.ts';

/** An hour in which a build ends every five seconds, in twelve parts. */
const PARTS = 12;
const BUILDS_PER_PART = 60;
const JOB = '/teams/main/pipelines/busy/jobs/j';

interface Memory {
  readonly heapMb: number;
  readonly nodes: number;
  readonly listeners: number;
}

/**
 * The memory of one page during an hour of builds, as fast as web runs them. In each part of the hour the user also goes
 * to every kind of page and back. Measured after a collection, at the same page each time.
 */
export async function benchPageMemory({ progress, signal }: AloneOptions): Promise<string> {
  await using browser = await TestBrowser.start();
  await using idle = await IdleWeb.start();
  const user = await ApiUser.login(idle.url);
  await user.setPipeline('busy', 'jobs: [{ name: j, plan: [] }, { name: after, plan: [] }]');
  await user.log(await user.trigger('busy', 'j'), signal);
  await using watched = await browser.openPage();
  const { page } = watched;
  await signIn(page, idle.url, JOB);
  await page.locator('.live-live').waitFor();
  const client = await page.context().newCDPSession(page);
  await client.send('Performance.enable');
  // Lists of a page have at most a hundred rows: fill them first.
  await runBuilds(user, 2 * BUILDS_PER_PART, signal);
  await walk(page);
  const measured: Memory[] = [await memoryOf(client)];
  for (let part = 1; part <= PARTS; part++) {
    await runBuilds(user, BUILDS_PER_PART, signal);
    await walk(page);
    measured.push(await memoryOf(client));
    progress(`${part * BUILDS_PER_PART} builds`);
  }
  const rows = measured.map(({ heapMb, nodes, listeners }, part) => [
    `${part * (60 / PARTS)} min`,
    heapMb.toFixed(2),
    String(nodes),
    String(listeners),
  ]);
  const [first, last] = [measured[0]?.heapMb ?? 0, measured.at(-1)?.heapMb ?? 0];
  return `${table([['an hour of a live page', 'heap, MB', 'nodes', 'listeners'], ...rows])}
${PARTS * BUILDS_PER_PART} builds; ${(last / first).toFixed(2)} times the memory at the end (goal 1)`;
}

async function runBuilds(user: ApiUser, count: number, signal: AbortSignal): Promise<void> {
  for (let n = 0; n < count; n++) await user.log(await user.trigger('busy', 'j'), signal);
}

/** Goes through the pages as a user does, without loading the application again, and comes back to the job. */
async function walk(page: Page): Promise<void> {
  const go = async (name: string | RegExp, ready: string) => {
    await page.getByRole('link', { name }).first().click();
    await page.locator(ready).first().waitFor();
  };
  await page.locator('tr[data-build-name] a').first().click();
  await page.locator('.view-links').waitFor();
  await go('Timeline', '.timeline, .step-note');
  await go('Pipelines', '.card');
  await go('Activity', '.activity table');
  await go('Workers', '.message, .worker');
  await go('Pipelines', '.card');
  await go('busy', '.job-node');
  await page.locator('table').getByRole('link', { name: 'j', exact: true }).click();
  await page.locator('tr[data-build-name]').first().waitFor();
}

async function memoryOf(client: CDPSession): Promise<Memory> {
  await client.send('HeapProfiler.collectGarbage');
  const { metrics } = await client.send('Performance.getMetrics');
  const metric = (name: string) => metrics.find((each) => each.name === name)?.value ?? 0;
  return {
    heapMb: metric('JSHeapUsedSize') / 1e6,
    nodes: metric('Nodes'),
    listeners: metric('JSEventListeners'),
  };
}
