import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import type { Locator } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const JOBS = 300;
const PIPELINES = 60;
/** Of the window. */
const HEIGHT = 720;
const SESSION = '/api/v1/seaplane/session';
const PIPELINE = '/teams/main/pipelines/large';

/** A row of jobs, each after the one before. */
function rowOfJobs(): string {
  const planOf = (n: number) => (n === 0 ? '[{ get: r }]' : `[{ get: r, passed: [j${n - 1}] }]`);
  const jobs = Array.from({ length: JOBS }, (_, n) => `- { name: j${n}, plan: ${planOf(n)} }`);
  return `resources: [{ name: r, type: mock, source: {}, check_every: never }]\njobs:\n- { name: alone, plan: [] }\n${jobs.join('\n')}\n`;
}

describe.skipIf(whyNoRoot())('loading', () => {
  const site = useTestSite(IdleWeb.start, async ({ fly, web }) => {
    await fly.setPipeline('large', rowOfJobs());
    const build = await fly.trigger('large', 'alone');
    await fly.log(build, AbortSignal.timeout(60_000)); // to its end
    await web.fillLog(build, [{ name: 'print', exitStatus: 0, lines: ['line 1', 'line 2', 'line 3'] }]);
    const long = await fly.trigger('large', 'alone');
    await fly.log(long, AbortSignal.timeout(60_000));
    await web.fillLog(long, [{ name: 'print', exitStatus: 0, lines: Array(5_000).fill('a line of a long log') }]);
    for (let n = 1; n < PIPELINES; n++) await fly.setPipeline(`p${n}`, 'jobs: [{ name: j, plan: [] }]');
  });

  test.for([
    ['/', '/api/v1/jobs', '.card'],
    [PIPELINE, `/api/v1${PIPELINE}/jobs`, '.job-node'],
    [`${PIPELINE}/jobs/alone/builds/1`, `/api/v1${PIPELINE}/jobs/alone/builds/1`, '.build-succeeded'],
  ] as const)('[UI-LOAD1] %s is asked for while the script is loaded', async ([path, request, shown]) => {
    await using watched = await site.open('/workers');
    const { page, complaints } = watched;
    await page.locator('#user-id').waitFor();
    await page.goto('about:blank'); // the page before asks for nothing more
    const times = new Map<string, number>();
    const asked = new Map([request, SESSION].map((each) => [each, Promise.withResolvers<void>()]));
    await page.route(
      ({ pathname }) => asked.has(pathname),
      async (route) => {
        const { pathname } = new URL(route.request().url());
        times.set(pathname, (times.get(pathname) ?? 0) + 1);
        asked.get(pathname)?.resolve();
        await route.continue();
      },
    );
    await page.route('**/assets/*.js', async (route) => {
      await Promise.all([...asked.values()].map(({ promise }) => promise));
      await route.continue();
    });
    // The script asks for this after its first requests. It asks for those again only when something has changed.
    const afterThem = Promise.withResolvers<unknown>();
    await page.route('**/api/v1/wall', async (route) => {
      afterThem.resolve(Object.fromEntries(times));
      await route.continue();
    });
    await page.goto(`${site.url}${path}`);
    await page.locator(shown).first().waitFor();
    expect(await afterThem.promise).toEqual({ [request]: 1, [SESSION]: 1 });
    expect(complaints).toEqual([]);
  });

  test('[UI-LOAD3] the plan and the first events of a build are asked for while the script is loaded', async () => {
    await using watched = await site.open('/workers');
    const { page, complaints } = watched;
    await page.locator('#user-id').waitFor();
    const [events, plan] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const asked: string[] = [];
    await page.route(/\/builds\/\d+\/first-events$/, async (route) => {
      asked.push('events');
      events.resolve();
      await route.continue();
    });
    await page.route(/\/api\/v1\/builds\/\d+\/plan$/, async (route) => {
      asked.push('plan');
      plan.resolve();
      await events.promise;
      await route.continue();
    });
    await page.route('**/assets/*.js', async (route) => {
      await Promise.all([events.promise, plan.promise]);
      await route.continue();
    });
    await page.goto(`${site.url}${PIPELINE}/jobs/alone/builds/1#Lp0:1`);
    await page.locator('.log-text', { hasText: /^line 3$/ }).waitFor();
    expect(await page.locator('.log-text').allTextContents()).toEqual(['line 1', 'line 2', 'line 3']);
    expect(asked.toSorted()).toEqual(['events', 'plan']);
    expect(complaints).toEqual([]);
  });

  test('[UI-LOAD7] the steps of a green build stay closed while its log loads', async () => {
    await using watched = await site.open('/workers');
    const { page, complaints } = watched;
    await page.locator('#user-id').waitFor();
    const rest = Promise.withResolvers<void>();
    await page.route(/\/api\/v1\/builds\/\d+\/events\?after=\d+$/, async (route) => {
      await rest.promise;
      await route.continue();
    });
    const asked = page.waitForRequest(/\/events\?after=/);
    await page.goto(`${site.url}${PIPELINE}/jobs/alone/builds/2`);
    await asked; // so the first events are drawn soon
    const step = page.locator('[data-step-name="print"] .header');
    await step.getByText('loading ...').waitFor();
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    expect(await step.getAttribute('aria-expanded')).toBe('false');
    rest.resolve();
    await page.locator('[data-step-name="print"] [data-step-state="succeeded"]').waitFor();
    expect(await step.getAttribute('aria-expanded')).toBe('false');
    await step.click();
    await page.locator('.log-line').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-LOAD6] the bar has the name of the installation when it is first drawn', async () => {
    await using watched = await site.open('/workers');
    const { page, complaints } = watched;
    await page.locator('#user-id').waitFor();
    await page.route(`**${SESSION}`, async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...(await response.json()), cluster_name: 'far away' } });
    });
    await page.addInitScript(`
      window.names = new Set();
      new MutationObserver(() => {
        const name = document.querySelector('.brand')?.textContent;
        if (name !== undefined) names.add(name);
      }).observe(document, { childList: true, subtree: true, characterData: true });`);
    await page.goto(`${site.url}/workers`);
    await page.getByText('far away').waitFor();
    expect(await page.evaluate('[...window.names]')).toEqual(['far away']);
    expect(complaints).toEqual([]);
  });

  test('[UI-LOAD4] the plan of a build that was aborted before it started is not asked for', async () => {
    const path = `${PIPELINE}/jobs/j0/builds/1`;
    await site.fly.abort(await site.fly.trigger('large', 'j0'));
    await using watched = await site.open(path);
    const { page, complaints } = watched;
    await page.locator('.build-aborted').waitFor();
    await page.getByText('This build has no steps to show.').waitFor();
    expect(complaints).toEqual([]);
  });

  test('[UI-LOAD2] a large pipeline is drawn whole; its table has the first jobs, and all on request', async () => {
    await using watched = await site.open(PIPELINE);
    const { page, complaints } = watched;
    await expect.poll(() => page.locator('.job-node').count()).toBe(JOBS + 1);
    await expect.poll(() => page.locator('.edge').count()).toBe(JOBS);
    const rows = page.locator('table:not(#resources) tbody tr');
    expect(await rows.count()).toBe(100);
    await page.getByRole('button', { name: `Show all ${JOBS + 1} jobs` }).click();
    await expect.poll(() => rows.count()).toBe(JOBS + 1);
    expect(complaints).toEqual([]);
  });

  test('[UI-LOAD5] the cards of many pipelines are drawn piece by piece, and all are found and reached', async () => {
    await using watched = await site.open('/workers');
    const { page, complaints } = watched;
    await page.locator('#user-id').waitFor();
    await page.addInitScript(`
      window.pieces = [];
      new MutationObserver(() => {
        const cards = document.querySelectorAll('.card').length;
        if (cards > (pieces.at(-1) ?? 0)) pieces.push(cards);
      }).observe(document, { childList: true, subtree: true });`);
    await page.goto(site.url);
    await expect.poll(() => page.locator('.card').count()).toBe(PIPELINES);
    expect(await page.evaluate('window.pieces')).toEqual([20, 40, 60]);
    expect(await page.getByText(`${PIPELINES} pipelines`).count()).toBe(1);
    const last = `p${PIPELINES - 1}`;
    // As the browser's own find does.
    expect(await page.evaluate(`window.find('${last}')`)).toBe(true);
    const link = page.locator(`.card[data-pipeline-name="${last}"] a.dashboard-pipeline-name`);
    expect(await isInWindow(link)).toBe(false);
    await link.focus();
    await expect.poll(() => isInWindow(link)).toBe(true);
    const search = page.getByRole('searchbox').or(page.getByRole('combobox'));
    await search.fill(`"${last}"`);
    await expect.poll(() => page.locator('.card').count()).toBe(1);
    await search.fill('');
    await expect.poll(() => page.locator('.card').count()).toBe(PIPELINES);
    expect(complaints).toEqual([]);
  });
});

async function isInWindow(link: Locator): Promise<boolean> {
  const { y = -1 } = (await link.boundingBox()) ?? {};
  return y >= 0 && y < HEIGHT;
}
