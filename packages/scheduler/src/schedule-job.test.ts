import { archivePipeline, createJobBuild, ensurePendingBuild, finishBuild, rerunBuild } from '@seaplane/db';
import {
  createTestDatabase,
  readEvents,
  readPrivatePlans,
  sampleJob,
  sampleResource,
  saveSample,
  type TestDatabase,
} from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SchedulerContext } from './context.ts';
import { jobsThatWait, jobsToSchedule, scheduleJob } from './schedule-job.ts';
import { StoredPipelines } from './stored-pipelines.ts';
import { finishBuilds, readStatuses } from './testing/job-builds.ts';
import { saveVersions } from './testing/save-versions.ts';

let database: TestDatabase;
let context: SchedulerContext;

beforeAll(async () => {
  database = await createTestDatabase();
  context = { db: database.pool, clock: manualClock(), storedPipelines: new StoredPipelines() };
});

afterAll(() => database[Symbol.asyncDispose]());

afterEach(async () => {
  await database.pool.query('DELETE FROM pipeline');
});

const RESOURCE = sampleResource('repo');
const trigger = { name: 'repo', resource: 'repo', passed: [] as string[], trigger: true };

const setVersions = (resourceId: number, versions: readonly string[]) =>
  saveVersions(database.pool, resourceId, versions);

const statuses = (jobId: number) => readStatuses(database.pool, jobId);
const finishAll = (jobId: number) => finishBuilds(database.pool, jobId);

/** A job that gets every version, and has built the first. */
async function everyJob(): Promise<{ unit: number; repo: number }> {
  const { jobs, resources } = await saveSample(
    database.pool,
    { name: 'p' },
    { jobs: [sampleJob('unit', { inputs: [{ ...trigger, version: 'every' }] })], resources: [RESOURCE] },
  );
  const [unit, repo] = [jobs['unit'] as number, resources['repo'] as number];
  await setVersions(repo, ['v1']);
  await scheduleJob(context, unit);
  return { unit, repo };
}

/** A pool whose first statement that begins with this text fails. */
function failingOnce(pool: TestDatabase['pool'], text: string): TestDatabase['pool'] {
  let failed = false;
  const query = (...args: [string]) => {
    if (failed || !String(args[0]).startsWith(text)) return pool.query(...args);
    failed = true;
    return Promise.reject(new Error('the database went away'));
  };
  const own = (key: PropertyKey) => {
    const value: unknown = Reflect.get(pool, key);
    return typeof value === 'function' ? value.bind(pool) : value;
  };
  return new Proxy(pool, { get: (_, key) => (key === 'query' ? query : own(key)) });
}

/** The versions that each started build's plan gets, by the name of the get, in the order of starting. */
async function plans(): Promise<Record<string, string>[]> {
  const { rows } = await database.pool.query<{ plan: { do: { get: { name: string; version: { v: string } } }[] } }>(
    'SELECT public_plan AS plan FROM build WHERE job_id IS NOT NULL AND public_plan IS NOT NULL ORDER BY started_at',
  );
  return rows.map(({ plan }) => Object.fromEntries(plan.do.map(({ get }) => [get.name, get.version.v])));
}

/** The resources that builds check, oldest check first. */
async function checks(): Promise<number[]> {
  const { rows } = await database.pool.query<{ id: number }>(
    'SELECT resource_id AS id FROM build WHERE resource_id IS NOT NULL ORDER BY id',
  );
  return rows.map(({ id }) => id);
}

describe('triggers', () => {
  test('[SCHED1] a new version of a trigger input makes a build, once', async () => {
    const { jobs, resources } = await saveSample(
      database.pool,
      { name: 'p' },
      {
        jobs: [sampleJob('unit', { inputs: [trigger] })],
        resources: [RESOURCE],
      },
    );
    const [unit, repo] = [jobs['unit'] as number, resources['repo'] as number];
    await scheduleJob(context, unit);
    expect(await statuses(unit)).toEqual([]);
    await setVersions(repo, ['v1']);
    await scheduleJob(context, unit);
    await scheduleJob(context, unit);
    expect(await statuses(unit)).toEqual(['1 started']);
    expect(await plans()).toEqual([{ repo: 'v1' }]);
    await setVersions(repo, ['v1', 'v2']);
    await scheduleJob(context, unit);
    expect(await statuses(unit)).toEqual(['1 started', '2 started']);
    expect((await plans()).at(-1)).toEqual({ repo: 'v2' });
  });

  test('[SCHED2] a new version of another input makes none', async () => {
    const { jobs, resources } = await saveSample(
      database.pool,
      { name: 'p' },
      {
        jobs: [sampleJob('unit', { inputs: [{ ...trigger, trigger: false }] })],
        resources: [RESOURCE],
      },
    );
    await setVersions(resources['repo'] as number, ['v1']);
    await scheduleJob(context, jobs['unit'] as number);
    expect(await statuses(jobs['unit'] as number)).toEqual([]);
  });

  test('[SCHED3] downstream jobs follow successful builds only, and get what those had', async () => {
    const { jobs, resources } = await saveSample(
      database.pool,
      { name: 'p' },
      {
        jobs: [
          sampleJob('unit', { inputs: [trigger] }),
          sampleJob('ship', { inputs: [{ ...trigger, passed: ['unit'] }] }),
        ],
        resources: [RESOURCE],
      },
    );
    const [unit, ship] = [jobs['unit'] as number, jobs['ship'] as number];
    await setVersions(resources['repo'] as number, ['v1', 'v2']);
    await scheduleJob(context, unit);
    await scheduleJob(context, ship);
    expect(await statuses(ship)).toEqual([]);
    await finishAll(unit);
    expect(await jobsToSchedule(context)).toContain(ship);
    await scheduleJob(context, ship);
    expect(await statuses(ship)).toEqual(['1 started']);
    expect((await plans()).at(-1)).toEqual({ repo: 'v2' });
    for (const id of await jobsToSchedule(context)) await scheduleJob(context, id);
    expect(await jobsToSchedule(context)).toEqual([]);
    expect(await statuses(ship)).toEqual(['1 started']);
  });

  test('[SCHED4] version: every makes a build of each version, one after another', async () => {
    const { unit, repo } = await everyJob();
    await setVersions(repo, ['v1', 'v2', 'v3']);
    await scheduleJob(context, unit);
    expect(await jobsToSchedule(context)).toEqual([unit]);
    await scheduleJob(context, unit);
    expect(await plans()).toEqual([{ repo: 'v1' }, { repo: 'v2' }, { repo: 'v3' }]);
  });

  test('[SCHED4] also when the first of them had to wait', async () => {
    const { unit, repo } = await everyJob();
    await ensurePendingBuild(database.pool, unit); // made by a look that got no further
    await setVersions(repo, ['v1', 'v2', 'v3']);
    await scheduleJob(context, unit);
    expect(await jobsToSchedule(context)).toEqual([unit]);
    await scheduleJob(context, unit);
    expect(await plans()).toEqual([{ repo: 'v1' }, { repo: 'v2' }, { repo: 'v3' }]);
  });

  test('[SCHED13] a build of a new version waits for a check of a resource that is never checked by itself', async () => {
    const never = { name: 'never', type: 'mock', source: {}, check_every: 'never' };
    const { jobs, resources } = await saveSample(
      database.pool,
      { name: 'p' },
      {
        jobs: [
          sampleJob('unit', {
            inputs: [trigger, { name: 'never', resource: 'never', passed: [], trigger: false }],
          }),
        ],
        resources: [RESOURCE, sampleResource('never', { config: never })],
      },
    );
    const unit = jobs['unit'] as number;
    await setVersions(resources['repo'] as number, ['v1']);
    await setVersions(resources['never'] as number, ['put']);
    await database.pool.query(
      `UPDATE resource_scope SET next_check_at = 'infinity', last_check_ended_at = now() WHERE resource_id = $1`,
      [resources['never']],
    );
    await scheduleJob(context, unit);
    await scheduleJob(context, unit);
    expect(await statuses(unit)).toEqual(['1 pending']);
    const { rows: made } = await database.pool.query('SELECT id, resource_id FROM build WHERE job_id IS NULL');
    expect(made).toMatchObject([{ resource_id: resources['never'] }]);
    const checks = await readPrivatePlans(database.pool, [made[0].id]);
    expect(checks.get(made[0].id)).toMatchObject({ check: { skip_interval: true } });
    await setVersions(resources['never'] as number, ['put', 'found']);
    await database.pool.query('UPDATE resource_scope SET last_check_ended_at = now() WHERE resource_id = $1', [
      resources['never'],
    ]);
    await finishBuild(database.pool, made[0].id, 'succeeded');
    await scheduleJob(context, unit);
    expect(await plans()).toEqual([{ repo: 'v1', never: 'found' }]);
  });
});

describe('builds that somebody asked for', () => {
  test('[SCHED5] wait for a check that ends after they were made, and ask for it once', async () => {
    const { jobs, resources } = await saveSample(
      database.pool,
      { name: 'p' },
      {
        jobs: [sampleJob('unit', { inputs: [{ ...trigger, trigger: false }] })],
        resources: [RESOURCE],
      },
    );
    const [unit, repo] = [jobs['unit'] as number, resources['repo'] as number];
    await setVersions(repo, ['v1']);
    await createJobBuild(database.pool, { jobId: unit });
    await scheduleJob(context, unit);
    expect(await statuses(unit)).toEqual(['1 pending']);
    expect(await checks()).toEqual([repo]);
    expect(await jobsThatWait(context)).toEqual([unit]);
    await setVersions(repo, ['v1', 'v2']);
    await scheduleJob(context, unit);
    expect(await statuses(unit)).toEqual(['1 started']);
    expect(await plans()).toEqual([{ repo: 'v2' }]);
    expect(await checks()).toEqual([repo]);
  });

  test('[SCHED5] wait for a check that may find the version of their step, but not for one of a pinned resource', async () => {
    const { jobs, resources } = await saveSample(
      database.pool,
      { name: 'p' },
      { jobs: [sampleJob('unit', { inputs: [{ ...trigger, version: { v: 'v2' } }] })], resources: [RESOURCE] },
    );
    const [unit, repo] = [jobs['unit'] as number, resources['repo'] as number];
    await setVersions(repo, ['v1']);
    await createJobBuild(database.pool, { jobId: unit });
    await scheduleJob(context, unit);
    expect(await checks()).toEqual([repo]);
    await setVersions(repo, ['v1', 'v2']);
    await scheduleJob(context, unit);
    expect(await plans()).toEqual([{ repo: 'v2' }]);
    await database.pool.query(
      `INSERT INTO resource_pin (resource_id, version, in_config) VALUES ($1, '{"v": "v1"}', false)`,
      [repo],
    );
    await createJobBuild(database.pool, { jobId: unit });
    await scheduleJob(context, unit);
    expect(await checks()).toEqual([repo]);
    expect(await plans()).toEqual([{ repo: 'v2' }, { repo: 'v2' }]);
  });

  test('[SCHED5] do not wait for the check of a source that the resource no longer has', async () => {
    const save = (source: string) =>
      saveSample(
        database.pool,
        { name: 'p' },
        {
          jobs: [sampleJob('unit', { inputs: [{ ...trigger, trigger: false }] })],
          resources: [sampleResource('repo', { config: { name: 'repo', type: 'mock', source: { source } } })],
        },
      );
    const { jobs, resources } = await save('old');
    const [unit, repo] = [jobs['unit'] as number, resources['repo'] as number];
    await createJobBuild(database.pool, { jobId: unit });
    await scheduleJob(context, unit);
    expect(await checks()).toEqual([repo]);
    await save('new');
    await scheduleJob(context, unit);
    expect(await checks()).toEqual([repo, repo]);
    await scheduleJob(context, unit);
    expect(await checks()).toEqual([repo, repo]);
    expect(await statuses(unit)).toEqual(['1 pending']);
  });

  test('[SCHED6] need no check where there is no input, and wait where an input has no version', async () => {
    const { jobs } = await saveSample(
      database.pool,
      { name: 'p' },
      {
        jobs: [sampleJob('free'), sampleJob('stuck', { inputs: [{ ...trigger, passed: ['free'] }] })],
        resources: [RESOURCE],
      },
    );
    for (const name of ['free', 'stuck']) {
      await createJobBuild(database.pool, { jobId: jobs[name] as number });
      await scheduleJob(context, jobs[name] as number);
    }
    expect(await statuses(jobs['free'] as number)).toEqual(['1 started']);
    expect(await statuses(jobs['stuck'] as number)).toEqual(['1 pending']);
  });

  test('[SCHED7] a paused job starts none; those of an archived pipeline end as aborted', async () => {
    const { jobs, pipelineId } = await saveSample(database.pool, { name: 'p' }, { jobs: [sampleJob('free')] });
    const free = jobs['free'] as number;
    await database.pool.query('UPDATE job SET paused = true WHERE id = $1', [free]);
    await createJobBuild(database.pool, { jobId: free });
    await createJobBuild(database.pool, { jobId: free });
    await scheduleJob(context, free);
    expect(await statuses(free)).toEqual(['1 pending', '2 pending']);
    expect(await jobsThatWait(context)).toEqual([]); // for nothing that comes by itself
    await archivePipeline(database.pool, pipelineId, 'me');
    expect(await jobsToSchedule(context)).toEqual([free]);
    await scheduleJob(context, free);
    await scheduleJob(context, free); // their end was a reason to look again
    expect(await statuses(free)).toEqual(['1 aborted', '2 aborted']);
    expect(await jobsToSchedule(context)).toEqual([]);
  });

  test('[SCHED8] one that cannot be planned ends in error, and its log says why', async () => {
    const config = { name: 'unplannable', plan: [{ get: 'nowhere' }] };
    const { jobs } = await saveSample(database.pool, { name: 'p' }, { jobs: [sampleJob('unplannable', { config })] });
    const { id } = await createJobBuild(database.pool, { jobId: jobs['unplannable'] as number });
    await scheduleJob(context, jobs['unplannable'] as number);
    expect(await statuses(jobs['unplannable'] as number)).toEqual(['1 errored']);
    const { events } = await readEvents(database.pool, id, 0);
    expect(events.map(({ type }) => type)).toEqual(['error', 'status']);
    expect(JSON.parse(events[0]?.data ?? '')).toEqual({
      message: expect.stringMatching(/^the build cannot be planned: .*nowhere/),
      origin: { id: '' },
      time: context.clock.now().getTime() / 1000,
    });
  });

  test('[SCHED8] one whose plan could not be made this time is left to the next look', async () => {
    const { jobs } = await saveSample(database.pool, { name: 'p' }, { jobs: [sampleJob('unlucky')] });
    const unlucky = jobs['unlucky'] as number;
    await createJobBuild(database.pool, { jobId: unlucky });
    const db = failingOnce(database.pool, 'SELECT config,');
    await expect(scheduleJob({ ...context, db }, unlucky)).rejects.toThrow('went away');
    expect(await statuses(unlucky)).toEqual(['1 pending']);
    expect(await jobsToSchedule(context)).toEqual([unlucky]);
    await scheduleJob({ ...context, db }, unlucky);
    expect(await statuses(unlucky)).toEqual(['1 started']);
  });

  test('[SCHED12] one that a scheduler gave its inputs and no more before it died starts all the same', async () => {
    const { jobs, resources } = await saveSample(
      database.pool,
      { name: 'p' },
      { jobs: [sampleJob('unit', { inputs: [trigger] })], resources: [RESOURCE] },
    );
    const [unit, repo] = [jobs['unit'] as number, resources['repo'] as number];
    await setVersions(repo, ['v1']);
    const { id } = await createJobBuild(database.pool, { jobId: unit });
    await database.pool.query(
      `INSERT INTO build_input (build_id, name, resource_id, version_digest, version, first_occurrence, job_id)
       SELECT $1, 'repo', $2, digest, version, true, $3 FROM resource_version`,
      [id, repo, unit],
    );
    await setVersions(repo, ['v1', 'v2']);
    await scheduleJob(context, unit);
    expect(await statuses(unit)).toEqual(['1 started']);
    expect(await plans()).toEqual([{ repo: 'v2' }]);
    const { rows } = await database.pool.query('SELECT version FROM build_input WHERE build_id = $1', [id]);
    expect(rows).toEqual([{ version: { v: 'v2' } }]);
  });

  test('[SCHED9] a rerun has the inputs of the build it repeats, not the newest', async () => {
    const { jobs, resources } = await saveSample(
      database.pool,
      { name: 'p' },
      {
        jobs: [sampleJob('unit', { inputs: [trigger] })],
        resources: [RESOURCE],
      },
    );
    const unit = jobs['unit'] as number;
    await setVersions(resources['repo'] as number, ['v1']);
    await scheduleJob(context, unit);
    await finishAll(unit);
    await setVersions(resources['repo'] as number, ['v1', 'v2']);
    const { rows } = await database.pool.query<{ id: number }>('SELECT id FROM build WHERE job_id = $1', [unit]);
    await rerunBuild(database.pool, { buildId: rows[0]?.id as number });
    await scheduleJob(context, unit);
    expect(await statuses(unit)).toEqual(['1 succeeded', '1.1 started']);
    await scheduleJob(context, unit);
    expect(await statuses(unit)).toEqual(['1 succeeded', '1.1 started', '2 started']);
    expect(await plans()).toEqual([{ repo: 'v1' }, { repo: 'v1' }, { repo: 'v2' }]);
  });
});
