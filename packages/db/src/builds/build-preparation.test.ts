import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SavedSample, sampleJob, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { readBuildPreparation } from './build-preparation.ts';
import { createJobBuild, ensurePendingBuild } from './create-job-build.ts';
import { startBuild } from './start-build.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

let pipelines = 0;

async function newJob(): Promise<SavedSample & { jobId: number }> {
  const input = (name: string) => ({ name, resource: name, passed: [], trigger: false });
  const jobs = [sampleJob('j', { inputs: [input('a'), input('b')] })];
  const resources = [sampleResource('a'), sampleResource('b')];
  const sample = await saveSample(db.pool, { name: `p${pipelines++}` }, { jobs, resources });
  return { ...sample, jobId: sample.jobs['j'] ?? 0 };
}

async function resolve({ jobId, resources }: SavedSample & { jobId: number }, name: string, error?: string) {
  await db.pool.query(
    `INSERT INTO next_build_input (job_id, input_name, resource_id, version_digest, first_occurrence, resolve_error)
     VALUES ($1, $2, $3, $4, $5, $6)`,
    [jobId, name, error ? null : resources[name], error ? null : 'x', error ? null : true, error],
  );
}

const ready = {
  pausedPipeline: 'not_blocking',
  pausedJob: 'not_blocking',
  maxRunningBuilds: 'not_blocking',
  inputs: {},
  inputsSatisfied: 'not_blocking',
  missingInputReasons: {},
};

test('[DB-PREP1] a build that has started waits for nothing; there is nothing to say of one that is not there', async () => {
  const { jobId } = await newJob();
  const { id } = await createJobBuild(db.pool, { jobId });
  await startBuild(db.pool, id, { plan: { id: '1', do: [] }, publicPlan: {} });
  expect(await readBuildPreparation(db.pool, id)).toEqual({ buildId: id, ...ready });
  expect(await readBuildPreparation(db.pool, 999_999)).toBeUndefined();
});

test('[DB-PREP2] a paused pipeline, a paused job and a full job block', async () => {
  const { jobId, pipelineId } = await newJob();
  const { id } = await createJobBuild(db.pool, { jobId });
  await db.pool.query('UPDATE job SET paused = true, max_in_flight_reached = true WHERE id = $1', [jobId]);
  await db.pool.query('UPDATE pipeline SET paused = true WHERE id = $1', [pipelineId]);
  expect(await readBuildPreparation(db.pool, id)).toMatchObject({
    pausedPipeline: 'blocking',
    pausedJob: 'blocking',
    maxRunningBuilds: 'blocking',
  });
});

test('[DB-PREP3] an input without a version blocks, with its reason; those that are open because of it are left out', async () => {
  const job = await newJob();
  const build = await ensurePendingBuild(db.pool, job.jobId);
  await resolve(job, 'a', 'latest version of resource not found');
  expect(await readBuildPreparation(db.pool, build?.id ?? 0)).toMatchObject({
    inputs: { a: 'blocking' },
    inputsSatisfied: 'blocking',
    missingInputReasons: { a: 'latest version of resource not found' },
  });
});

test('[DB-PREP4] inputs that nobody has resolved yet block', async () => {
  const job = await newJob();
  const build = await ensurePendingBuild(db.pool, job.jobId);
  await resolve(job, 'a');
  expect(await readBuildPreparation(db.pool, build?.id ?? 0)).toMatchObject({
    inputs: { a: 'not_blocking', b: 'blocking' },
    missingInputReasons: { b: 'input is not included in resolved candidates' },
  });
});

test('[DB-PREP5] a build that somebody asked for waits for a check that ended after that', async () => {
  const job = await newJob();
  for (const name of ['a', 'b']) await resolve(job, name);
  const scheduled = await ensurePendingBuild(db.pool, job.jobId);
  expect(await readBuildPreparation(db.pool, scheduled?.id ?? 0)).toMatchObject({ inputsSatisfied: 'not_blocking' });
  const { id } = await createJobBuild(db.pool, { jobId: job.jobId });
  await db.pool.query(
    `WITH config AS (INSERT INTO resource_config (parent, source_digest) VALUES ('base:mock', 'prep5') RETURNING id),
       scope AS (INSERT INTO resource_scope (resource_config_id, resource_id, last_check_ended_at)
         SELECT id, $1, clock_timestamp() FROM config RETURNING id)
     UPDATE resource SET scope_id = scope.id FROM scope WHERE resource.id = $1`,
    [job.resources['a']],
  );
  expect(await readBuildPreparation(db.pool, id)).toMatchObject({
    inputs: { a: 'not_blocking', b: 'blocking' },
    missingInputReasons: { b: 'checking for latest available versions' },
  });
});
