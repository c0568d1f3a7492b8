import { whyNoRoot } from '@seaplane/dev-toolchain/testing/requirements.ts';
import { describe, expect, test } from 'vitest';
import { IdleWeb } from './testing/idle-web.ts';
import { useTestSite } from './testing/test-site.ts';

const JOBS = 300;
const PIPELINE = '/teams/main/pipelines/large';

/** A row of jobs, each after the one before. */
function rowOfJobs(): string {
  const planOf = (n: number) => (n === 0 ? '[{ get: r }]' : `[{ get: r, passed: [j${n - 1}] }]`);
  const jobs = Array.from({ length: JOBS }, (_, n) => `- { name: j${n}, plan: ${planOf(n)} }`);
  return `resources: [{ name: r, type: mock, source: {}, check_every: never }]\njobs:\n- { name: alone, plan: [] }\n${jobs.join('\n')}\n`;
}

describe.skipIf(whyNoRoot())('loading', () => {
  const site = useTestSite(IdleWeb.start, async ({ fly }) => {
    await fly.setPipeline('large', rowOfJobs());
    await fly.log(await fly.trigger('large', 'alone'), AbortSignal.timeout(60_000)); // to its end
  });

  test.for([
    ['/', '/api/v1/jobs', '.card'],
    [PIPELINE, `/api/v1${PIPELINE}/jobs`, '.job-node'],
    [`${PIPELINE}/jobs/alone/builds/1`, `/api/v1${PIPELINE}/jobs/alone/builds/1`, '.build-succeeded'],
  ] as const)('[UI-LOAD1] %s is asked for while the session is', async ([path, request, shown]) => {
    await using watched = await site.open('/workers');
    const { page, complaints } = watched;
    await page.locator('#user-id').waitFor();
    const asked = Promise.withResolvers<void>();
    let times = 0;
    await page.route(
      (url) => url.pathname === request,
      async (route) => {
        times += 1;
        asked.resolve();
        await route.continue();
      },
    );
    const heldBack = { times: 1 };
    await page.route(
      '**/api/v1/seaplane/session',
      async (route) => {
        await asked.promise;
        expect(times).toBe(1);
        await route.continue();
      },
      heldBack,
    );
    await page.goto(`${site.url}${path}`);
    await page.locator(shown).first().waitFor();
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
});
