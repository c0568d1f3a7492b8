import { createJobBuild, finishBuild } from '@seaplane/db';
import {
  createTestDatabase,
  type Death,
  mortalPool,
  readEvents,
  type SavedSample,
  sampleJob,
  sampleResource,
  saveSample,
  type TestDatabase,
  wasKilled,
} from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jobsThatWait, jobsToSchedule, scheduleJob } from './schedule-job.ts';
import { StoredPipelines } from './stored-pipelines.ts';
import { saveVersions } from './testing/save-versions.ts';

type Pool = TestDatabase['pool'];

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database[Symbol.asyncDispose]());

let pipelines = 0;

async function newPipeline(): Promise<SavedSample> {
  await database.pool.query('DELETE FROM pipeline');
  const input = { name: 'repo', resource: 'repo', passed: [] as string[], trigger: true };
  const limits = { maxInFlight: 1, serialGroups: ['one'] };
  const jobs = [
    sampleJob('unit', { ...limits, inputs: [input] }),
    sampleJob('ship', { inputs: [{ ...input, passed: ['unit'] }] }),
  ];
  const parts = { jobs, resources: [sampleResource('repo')] };
  return saveSample(database.pool, { name: `p${pipelines++}` }, parts);
}

function look(db: Pool, jobId: number): Promise<void> {
  return scheduleJob({ db, clock: manualClock(), storedPipelines: new StoredPipelines() }, jobId);
}

/** Schedules as the next web does, until no job has a reason left. */
async function recover(): Promise<void> {
  const context = { db: database.pool };
  for (const id of await jobsThatWait(context)) await look(database.pool, id);
  for (let jobs = await jobsToSchedule(context); jobs.length > 0; jobs = await jobsToSchedule(context))
    for (const id of jobs) await look(database.pool, id);
}

/** Has `act` killed at its first statement, its second, and so on until it comes through; `verify` follows each. */
async function killEverywhere(
  death: Death,
  prepare: () => Promise<SavedSample>,
  act: (db: Pool, sample: SavedSample) => Promise<unknown>,
  verify: (sample: SavedSample) => Promise<void>,
): Promise<number> {
  for (let statements = 0; ; statements++) {
    const sample = await prepare();
    const error = await act(mortalPool(database.pool, statements, death), sample).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error !== undefined && !wasKilled(error)) throw error;
    await verify(sample);
    if (error === undefined) return statements;
  }
}

async function builds(jobId: number | undefined) {
  const { rows } = await database.pool.query<{ id: number; name: string; status: string; inputs: unknown }>(
    `SELECT id, name, status, (SELECT json_agg(version->'v') FROM build_input WHERE build_id = build.id) AS inputs
     FROM build WHERE job_id = $1 ORDER BY id`,
    [jobId],
  );
  return Promise.all(
    rows.map(async ({ id, ...build }) => ({
      ...build,
      events: (await readEvents(database.pool, id, 0)).events.map(({ data }) => JSON.parse(data).status as string),
    })),
  );
}

describe.each(['before', 'after'] as const)('[SCHED12] killed %s its last statement', (death) => {
  test('a scheduler that made and started a build leaves one that starts, once', async () => {
    const points = await killEverywhere(
      death,
      async () => {
        const sample = await newPipeline();
        await saveVersions(database.pool, sample.resources['repo'] ?? 0, ['v1']);
        return sample;
      },
      (db, { jobs }) => look(db, jobs['unit'] ?? 0),
      async ({ jobs }) => {
        await recover();
        expect(await builds(jobs['unit'])).toEqual([
          { name: '1', status: 'started', inputs: ['v1'], events: ['started'] },
        ]);
      },
    );
    expect(points).toBeGreaterThan(20);
  });

  test('a user’s trigger is there or not, and if it is, the build starts', async () => {
    await killEverywhere(
      death,
      newPipeline,
      async (db, { jobs, resources }) => {
        await createJobBuild(db, { jobId: jobs['unit'] ?? 0 });
        await saveVersions(database.pool, resources['repo'] ?? 0, ['v1']);
        await look(db, jobs['unit'] ?? 0);
      },
      async ({ jobs, resources }) => {
        await saveVersions(database.pool, resources['repo'] ?? 0, ['v1']);
        await database.pool.query('UPDATE job SET schedule_requested = schedule_requested + 1');
        await recover();
        expect(await builds(jobs['unit'])).toEqual([
          { name: '1', status: 'started', inputs: ['v1'], events: ['started'] },
        ]);
      },
    );
  });

  test('a build ends once, with all that follows, or not at all', async () => {
    await killEverywhere(
      death,
      async () => {
        const sample = await newPipeline();
        await saveVersions(database.pool, sample.resources['repo'] ?? 0, ['v1']);
        await look(database.pool, sample.jobs['unit'] ?? 0);
        return sample;
      },
      async (db, { jobs }) => {
        const { rows } = await database.pool.query('SELECT id FROM build WHERE job_id = $1', [jobs['unit']]);
        await finishBuild(db, rows[0].id, 'succeeded');
      },
      async ({ jobs }) => {
        const { rows } = await database.pool.query("SELECT id FROM build WHERE status = 'started'");
        for (const { id } of rows) await finishBuild(database.pool, id, 'succeeded'); // who takes it over does
        await recover();
        expect(await builds(jobs['unit'])).toEqual([
          { name: '1', status: 'succeeded', inputs: ['v1'], events: ['started', 'succeeded'] },
        ]);
        expect(await builds(jobs['ship'])).toMatchObject([{ name: '1', status: 'started', inputs: ['v1'] }]);
      },
    );
  });
});
