import { afterAll, beforeAll, expect, test } from 'vitest';
import { exposePipeline } from '../pipelines/change-pipeline.ts';
import { saveTeam } from '../teams/teams.ts';
import { type SavedSample, sampleJob, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { createJobBuild, rerunBuild } from './create-job-build.ts';
import { createCheckBuild, createOneOffBuild } from './create-started-build.ts';
import { type BuildFilter, type BuildRange, listBuilds } from './list-builds.ts';
import { startBuild } from './start-build.ts';

let db: TestDatabase;
let sample: SavedSample;
/** Builds 1, 2, 3 of a job, then a rerun of 1, a one-off build, a check that was asked for and one that was not. */
let ids: { one: number; two: number; three: number; rerun: number; oneOff: number; asked: number };
const planned = { plan: { id: '1', do: [] }, publicPlan: {} };

beforeAll(async () => {
  db = await createTestDatabase();
  const parts = { jobs: [sampleJob('j')], resources: [sampleResource('r')] };
  sample = await saveSample(db.pool, { name: 'p' }, parts);
  const jobId = sample.jobs['j'] ?? 0;
  const newBuild = async () => (await createJobBuild(db.pool, { jobId })).id;
  const [one, two, three] = [await newBuild(), await newBuild(), await newBuild()];
  const rerun = (await rerunBuild(db.pool, { buildId: one })).id;
  const oneOff = (await createOneOffBuild(db.pool, { teamId: sample.teamId }, planned)).id;
  const of = { resourceId: sample.resources['r'] ?? 0 };
  const asked = (await createCheckBuild(db.pool, of, { ...planned, manuallyTriggered: true }))?.id ?? 0;
  await db.pool.query("UPDATE build SET status = 'succeeded' WHERE id = $1", [asked]);
  await createCheckBuild(db.pool, of, { ...planned, manuallyTriggered: false });
  ids = { one, two, three, rerun, oneOff, asked };
});
afterAll(() => db[Symbol.asyncDispose]());

async function list(filter: BuildFilter, range: Partial<BuildRange> = {}): Promise<number[]> {
  return (await listBuilds(db.pool, filter, { limit: 100, ...range })).builds.map(({ id }) => id);
}

test('[DB-LIST1] newest first, a rerun beside its original; checks only if somebody asked for them', async () => {
  const { one, two, three, rerun, oneOff, asked } = ids;
  expect(await list({})).toEqual([asked, oneOff, three, two, rerun, one]);
  expect(await list({ jobId: sample.jobs['j'] ?? 0 })).toEqual([three, two, rerun, one]);
  expect(await list({ pipelineId: sample.pipelineId })).toEqual([asked, three, two, rerun, one]);
});

test('[DB-LIST2] of teams, and of everybody’s public pipelines', async () => {
  const { team } = await saveTeam(db.pool, 'other', {});
  const { one, two, three, rerun, asked } = ids;
  expect(await list({ teamIds: [sample.teamId] })).toHaveLength(6);
  expect(await list({ teamIds: [team.id] })).toEqual([]);
  expect(await list({ teamIds: [team.id], orPublic: true })).toEqual([]);
  await exposePipeline(db.pool, sample.pipelineId, true);
  expect(await list({ teamIds: [team.id], orPublic: true })).toEqual([asked, three, two, rerun, one]);
});

test('[DB-LIST3] `to` goes down from an id, `from` up from it; both are a range, oldest first', async () => {
  const filter = { jobId: sample.jobs['j'] ?? 0 };
  const { one, two, three, rerun } = ids;
  expect(await list(filter, { to: two })).toEqual([two, one]);
  expect(await list(filter, { to: three, limit: 2 })).toEqual([three, two]);
  expect(await list(filter, { from: two })).toEqual([three, two, rerun]);
  expect(await list(filter, { from: one, limit: 2 })).toEqual([rerun, one]);
  expect(await list(filter, { from: two, to: three })).toEqual([two, three]);
});

test('[DB-LIST4] a page knows the ids that the next ones begin with', async () => {
  const filter = { jobId: sample.jobs['j'] ?? 0 };
  const page = (range: Partial<BuildRange>) => listBuilds(db.pool, filter, { limit: 1, ...range });
  const first = await page({});
  expect(first).toMatchObject({ builds: [{ id: ids.three }], older: ids.two, newer: ids.rerun });
  expect(await page({ to: ids.two })).toMatchObject({ older: ids.one });
  const last = await page({ to: ids.one });
  expect(last).not.toHaveProperty('older');
  expect(await listBuilds(db.pool, { jobId: 999 }, { limit: 1 })).toEqual({ builds: [] });
});

test('[DB-LIST5] with timestamps, those that started within the seconds', async () => {
  const filter = { jobId: sample.jobs['j'] ?? 0 };
  await startBuild(db.pool, ids.one, planned);
  await startBuild(db.pool, ids.two, planned);
  await db.pool.query('UPDATE build SET started_at = to_timestamp(1000) WHERE id = $1', [ids.one]);
  await db.pool.query('UPDATE build SET started_at = to_timestamp(2000) WHERE id = $1', [ids.two]);
  expect(await list(filter, { timestamps: true, from: 1000, to: 2000 })).toEqual([ids.two, ids.one]);
  expect(await list(filter, { timestamps: true, from: 1001 })).toEqual([ids.two]);
  expect(await list(filter, { timestamps: true, to: 1999 })).toEqual([ids.one]);
});
