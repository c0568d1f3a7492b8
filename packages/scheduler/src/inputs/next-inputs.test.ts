import { readNextInputs } from '@seaplane/db';
import { createTestDatabase, sampleJob, sampleResource, saveSample, type TestDatabase } from '@seaplane/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readJob, type ScheduledJob } from '../read-job.ts';
import { saveVersions } from '../testing/save-versions.ts';
import { resolveAndSave } from './resolve-and-save.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

const INPUT = { name: 'repo', resource: 'repo', passed: [], trigger: true };

async function jobWithInput(pipeline: string): Promise<{ job: ScheduledJob; repo: number }> {
  const { jobs, resources } = await saveSample(
    database.pool,
    { name: pipeline },
    { jobs: [sampleJob('unit', { inputs: [INPUT] })], resources: [sampleResource('repo')] },
  );
  const job = await readJob(database.pool, jobs['unit'] as number);
  if (!job) throw new Error('the job is gone');
  return { job, repo: resources['repo'] as number };
}

async function saved(jobId: number): Promise<unknown[]> {
  const { rows } = await database.pool.query(
    `SELECT input_name AS name, version_digest IS NOT NULL AS found, resolve_error AS error
     FROM next_build_input WHERE job_id = $1`,
    [jobId],
  );
  return rows;
}

test('[IN13] the first look that finds a version saves it, and the flags of the job with it', async () => {
  const { job, repo } = await jobWithInput('first');
  await saveVersions(database.pool, repo, ['v1']);
  expect(await resolveAndSave(database.pool, job)).toMatchObject({ determined: true, triggers: true });
  expect(await saved(job.id)).toEqual([{ name: 'repo', found: true, error: null }]);
  expect(await readNextInputs(database.pool, job.id)).toEqual([
    { name: 'repo', resource: 'repo', version: { v: 'v1' } },
  ]);
});

test('[IN13] a version replaces the reason why there was none, in the same look', async () => {
  const { job, repo } = await jobWithInput('later');
  await resolveAndSave(database.pool, job);
  const error = 'latest version of resource not found';
  expect(await saved(job.id)).toEqual([{ name: 'repo', found: false, error }]);
  await saveVersions(database.pool, repo, ['v1']);
  await resolveAndSave(database.pool, job);
  expect(await saved(job.id)).toEqual([{ name: 'repo', found: true, error: null }]);
});

test('[IN13] a job without inputs is determined', async () => {
  const { jobs } = await saveSample(database.pool, { name: 'free' }, { jobs: [sampleJob('free')] });
  const job = await readJob(database.pool, jobs['free'] as number);
  expect(await resolveAndSave(database.pool, job as ScheduledJob)).toMatchObject({ determined: true, triggers: false });
  expect(await readNextInputs(database.pool, jobs['free'] as number)).toEqual([]);
});
