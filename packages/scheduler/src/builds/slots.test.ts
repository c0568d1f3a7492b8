import { createJobBuild, finishBuild, rerunBuild } from '@seaplane/db';
import { createTestDatabase, sampleJob, sampleResource, saveSample, type TestDatabase } from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { SchedulerContext } from '../context.ts';
import { jobsToSchedule, scheduleJob } from '../schedule-job.ts';
import { StoredPipelines } from '../stored-pipelines.ts';
import { finishBuilds, readStatuses } from '../testing/job-builds.ts';
import { saveVersions } from '../testing/save-versions.ts';

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
const input = { name: 'repo', resource: 'repo', passed: [] as string[] };

const statuses = (jobId: number) => readStatuses(database.pool, jobId);
const finishAll = (jobId: number) => finishBuilds(database.pool, jobId);

test('[SCHED10] a serial job runs one build at a time, in order', async () => {
  const { jobs } = await saveSample(
    database.pool,
    { name: 'p' },
    {
      jobs: [sampleJob('serial', { maxInFlight: 1, serialGroups: ['serial'] })],
    },
  );
  const serial = jobs['serial'] as number;
  for (let i = 0; i < 3; i++) await createJobBuild(database.pool, { jobId: serial });
  await scheduleJob(context, serial);
  expect(await statuses(serial)).toEqual(['1 started', '2 pending', '3 pending']);
  await finishAll(serial);
  await scheduleJob(context, serial);
  expect(await statuses(serial)).toEqual(['1 succeeded', '2 started', '3 pending']);
});

test('[SCHED15] a rerun has the place of its original, when builds are tried and when a slot is given', async () => {
  const limits = { maxInFlight: 1, serialGroups: ['shared'] };
  const { jobs } = await saveSample(
    database.pool,
    { name: 'p' },
    { jobs: [sampleJob('one', limits), sampleJob('two', limits)] },
  );
  const [one, two] = [jobs['one'] as number, jobs['two'] as number];
  const { id: original } = await createJobBuild(database.pool, { jobId: one });
  await finishBuild(database.pool, original, 'succeeded');
  for (const jobId of [one, two]) await createJobBuild(database.pool, { jobId });
  await rerunBuild(database.pool, { buildId: original });
  // The rerun is the youngest. Were the two orders not the same, no build would start.
  for (const jobId of [one, two]) await scheduleJob(context, jobId);
  expect(await statuses(one)).toEqual(['1 succeeded', '2 pending', '1.1 started']);
  expect(await statuses(two)).toEqual(['1 pending']);
  await finishAll(one);
  for (const jobId of [two, one]) await scheduleJob(context, jobId);
  expect(await statuses(one)).toEqual(['1 succeeded', '2 started', '1.1 succeeded']);
});

test('[SCHED11] jobs of one group share its slot; one without inputs does not stand in the way', async () => {
  const limits = { maxInFlight: 1, serialGroups: ['shared'] };
  const { jobs } = await saveSample(
    database.pool,
    { name: 'p' },
    {
      jobs: [
        sampleJob('stuck', { ...limits, inputs: [{ ...input, trigger: true, passed: ['other'] }] }),
        sampleJob('other', limits),
        sampleJob('third', limits),
      ],
      resources: [RESOURCE],
    },
  );
  for (const name of ['stuck', 'other', 'third']) await createJobBuild(database.pool, { jobId: jobs[name] as number });
  for (const name of ['stuck', 'other', 'third']) await scheduleJob(context, jobs[name] as number);
  expect(await statuses(jobs['stuck'] as number)).toEqual(['1 pending']);
  expect(await statuses(jobs['other'] as number)).toEqual(['1 started']);
  expect(await statuses(jobs['third'] as number)).toEqual(['1 pending']);
});

test('[SCHED11] a job that was refused a slot is scheduled again when the slot is given back', async () => {
  const limits = { maxInFlight: 1, serialGroups: ['shared'] };
  const { jobs, resources } = await saveSample(
    database.pool,
    { name: 'p' },
    {
      jobs: [
        sampleJob('waits', { ...limits, inputs: [{ ...input, trigger: false }] }),
        sampleJob('other', limits),
        sampleJob('idle', limits),
      ],
      resources: [RESOURCE],
    },
  );
  const [waits, other] = [jobs['waits'] as number, jobs['other'] as number];
  for (const id of [waits, other]) await createJobBuild(database.pool, { jobId: id });
  for (const id of await jobsToSchedule(context)) await scheduleJob(context, id);
  expect(await statuses(other)).toEqual(['1 pending']); // the slot is held by one that waits for a check
  await saveVersions(database.pool, resources['repo'] as number, []); // which finds nothing
  await scheduleJob(context, waits);
  expect(await jobsToSchedule(context)).toEqual([other]);
  await scheduleJob(context, other);
  expect(await statuses(other)).toEqual(['1 started']);
  await scheduleJob(context, waits);
  expect(await jobsToSchedule(context)).toEqual([]);
});
