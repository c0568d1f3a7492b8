import type { BuildLogRetention } from '@seaplane/config';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readEvents } from '../events/read-events.ts';
import { findJob } from '../jobs/job.ts';
import { sampleJob, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { createJobBuild } from './create-job-build.ts';
import { finishBuild } from './finish-build.ts';
import { reapBuildLogs } from './reap-build-logs.ts';
import { startBuild } from './start-build.ts';

let db: TestDatabase;
beforeEach(async () => {
  db = await createTestDatabase();
});
afterEach(() => db[Symbol.asyncDispose]());

/** A job with this retention, and its builds, oldest first: succeeded, failed, or running. */
async function jobWith(
  logRetention: BuildLogRetention,
  statuses: string,
): Promise<{ pipelineId: number; jobId: number; ids: number[] }> {
  const { pipelineId, jobs } = await saveSample(db.pool, { name: 'p' }, { jobs: [sampleJob('j', { logRetention })] });
  const jobId = jobs['j'] ?? 0;
  const ids: number[] = [];
  for (const status of statuses) {
    const { id } = await createJobBuild(db.pool, { jobId });
    await startBuild(db.pool, id, { plan: { id: '1', do: [] }, publicPlan: {} });
    if (status !== 'R') await finishBuild(db.pool, id, status === 'S' ? 'succeeded' : 'failed');
    ids.push(id);
  }
  return { pipelineId, jobId, ids };
}

/** The builds with a log, as the letters of their statuses; a dot for one without. */
async function logged(statuses: string, ids: readonly number[]): Promise<string> {
  const events = await Promise.all(ids.map(async (id) => (await readEvents(db.pool, id, 0)).events.length));
  return events.map((count, index) => (count > 0 ? statuses[index] : '.')).join('');
}

test.each([
  ['[DB-BLD15]', { builds: 2 }, 'SFSF', '..SF'],
  ['[DB-BLD15]', { builds: 2 }, 'SFRF', '.FRF'],
  ['[DB-BLD15]', { builds: 1 }, 'RSFR', 'R.FR'],
  ['[DB-BLD16]', { builds: 2, minimum_succeeded_builds: 1 }, 'SSFF', '.S.F'],
  ['[DB-BLD16]', { builds: 3, minimum_succeeded_builds: 1 }, 'SSFF', '.SFF'],
  ['[DB-BLD16]', { builds: 2, minimum_succeeded_builds: 2 }, 'SFFF', 'S..F'],
])('%s with %j the builds %s keep the logs %s', async (_rule, retention, statuses, kept) => {
  const { ids } = await jobWith(retention, statuses);
  while ((await reapBuildLogs(db.pool, undefined, 1)) > 0);
  expect(await logged(statuses, ids)).toBe(kept);
});

test('[DB-BLD15] builds without a place are covered for `days`; the builds are kept, and the job names its first log', async () => {
  const { pipelineId, ids } = await jobWith({ builds: 1, days: 2 }, 'SSS');
  const [oldest = 0, older = 0] = ids;
  for (const [id, days] of [
    [oldest, 3],
    [older, 1],
  ])
    await db.pool.query('UPDATE build SET ended_at = now() - make_interval(days => $2) WHERE id = $1', [id, days]);
  expect(await reapBuildLogs(db.pool)).toBe(1);
  expect(await logged('SSS', ids)).toBe('.SS');
  expect((await findJob(db.pool, pipelineId, 'j'))?.firstLoggedBuildId).toBe(older);
  expect(await readEvents(db.pool, oldest, 0)).toMatchObject({ events: [], ended: true });
  expect(await reapBuildLogs(db.pool)).toBe(0);
});

test('[DB-BLD15] `days` alone covers every build that is younger', async () => {
  const { ids } = await jobWith({ days: 2 }, 'SFS');
  await db.pool.query("UPDATE build SET ended_at = now() - interval '3 days' WHERE id = $1", [ids[1]]);
  await reapBuildLogs(db.pool);
  expect(await logged('SFS', ids)).toBe('S.S');
});

test.each([
  ['a job without a retention', {}, 'SELECT'],
  ['a paused job', { builds: 1 }, 'UPDATE job SET paused = true'],
  ['a paused pipeline', { builds: 1 }, 'UPDATE pipeline SET paused = true'],
])('[DB-BLD17] %s keeps its logs', async (_what, retention, sql) => {
  const { ids } = await jobWith(retention, 'SF');
  await db.pool.query(sql);
  expect(await reapBuildLogs(db.pool)).toBe(0);
  expect(await logged('SF', ids)).toBe('SF');
});

test.each([
  ['a default for jobs that do not say', {}, { defaultBuilds: 1 }, 'SFS', '..S'],
  ['not for those that do', { builds: 2 }, { defaultBuilds: 1 }, 'SFS', '.FS'],
  ['a limit over what a job says', { builds: 3 }, { maxBuilds: 2 }, 'SFS', '.FS'],
  ['less than the limit', { builds: 1 }, { maxBuilds: 2 }, 'SFS', '..S'],
  ['a limit for jobs that do not say', {}, { maxBuilds: 1 }, 'SFS', '..S'],
  ['no reserved places beyond the limit', { builds: 3, minimum_succeeded_builds: 2 }, { maxBuilds: 1 }, 'SSF', '..F'],
])('[DB-BLD19] %s', async (_what, retention, limits, statuses, kept) => {
  const { ids } = await jobWith(retention, statuses);
  await reapBuildLogs(db.pool, { defaultBuilds: 0, defaultDays: 0, maxBuilds: 0, maxDays: 0, ...limits });
  expect(await logged(statuses, ids)).toBe(kept);
});
