import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJobBuild } from '../builds/create-job-build.ts';
import { createCheckBuild, createOneOffBuild } from '../builds/create-started-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { startBuild } from '../builds/start-build.ts';
import { pauseJob, unpauseJob } from '../jobs/job.ts';
import { archivePipeline } from '../pipelines/archive-pipeline.ts';
import {
  destroyPipeline,
  exposePipeline,
  orderPipelines,
  pausePipeline,
  renamePipeline,
  unpausePipeline,
} from '../pipelines/change-pipeline.ts';
import { clearWall, setWall } from '../teams/wall.ts';
import { type SavedSample, sampleJob, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { notify } from './channels.ts';
import { Notifications } from './notifications.ts';

let db: TestDatabase;
let notifications: Notifications;
const heard: string[] = [];
let wake = () => {};
beforeAll(async () => {
  db = await createTestDatabase();
  notifications = await Notifications.open(db.pool);
  notifications.subscribe('changes', (payload) => {
    heard.push(payload ?? 'lost');
    wake();
  });
});
afterAll(async () => {
  await notifications.close();
  await db[Symbol.asyncDispose]();
});

/** The changes that an action announces, each once. */
async function changesOf(action: () => Promise<unknown>): Promise<string[]> {
  await action();
  await notify(db.pool, 'changes', 'last');
  while (heard.at(-1) !== 'last') await new Promise<void>((resolve) => (wake = resolve));
  return [...new Set(heard.splice(0).slice(0, -1))];
}

const PLANNED = { plan: { id: '1', do: [] }, publicPlan: {} };

async function sample(name: string): Promise<SavedSample> {
  return saveSample(db.pool, { name }, { jobs: [sampleJob('j')], resources: [sampleResource('r')] });
}

/** Its own changes are heard before this returns, so that they are not taken for those of the next action. */
async function savedSample(name: string): Promise<SavedSample> {
  const saved = await sample(name);
  await changesOf(async () => {});
  return saved;
}

test('[DB-NOTE5] changes of a pipeline, of a job and of its builds name the pipeline', async () => {
  const { pool } = db;
  expect(await changesOf(() => sample('p'))).toEqual(['pipelines']);
  const { pipelineId: id, jobs } = await savedSample('p');
  const own = [`pipeline:${id}`];
  const jobId = jobs['j'] ?? 0;
  expect(await changesOf(() => sample('p'))).toEqual(own);
  expect(await changesOf(() => pausePipeline(pool, id, 'me'))).toEqual(own);
  expect(await changesOf(() => pausePipeline(pool, id, 'me'))).toEqual([]);
  expect(await changesOf(() => unpausePipeline(pool, id))).toEqual(own);
  expect(await changesOf(() => pauseJob(pool, jobId, 'me'))).toEqual(own);
  expect(await changesOf(() => unpauseJob(pool, jobId))).toEqual(own);
  let build = 0;
  expect(
    await changesOf(async () => {
      build = (await createJobBuild(pool, { jobId })).id;
    }),
  ).toEqual(own);
  expect(await changesOf(() => startBuild(pool, build, PLANNED))).toEqual(own);
  expect(await changesOf(() => finishBuild(pool, build, 'failed'))).toEqual(own);
  expect(await changesOf(() => archivePipeline(pool, id, 'me'))).toEqual(own);
});

test('[DB-NOTE5] changes of the list of pipelines, the message to everybody, and builds without a job', async () => {
  const { pool } = db;
  const { pipelineId: id, teamId } = await savedSample('q');
  expect(await changesOf(() => exposePipeline(pool, id, true))).toEqual(['pipelines']);
  expect(await changesOf(() => renamePipeline(pool, teamId, 'q', 'r'))).toEqual(['pipelines']);
  expect(await changesOf(() => renamePipeline(pool, teamId, 'q', 'r'))).toEqual([]);
  expect(await changesOf(() => orderPipelines(pool, teamId, ['r']))).toEqual(['pipelines']);
  expect(await changesOf(() => destroyPipeline(pool, id))).toEqual(['pipelines']);
  expect(await changesOf(() => setWall(pool, 'hello'))).toEqual(['wall']);
  expect(await changesOf(() => clearWall(pool))).toEqual(['wall']);
  let build = 0;
  expect(
    await changesOf(async () => {
      build = (await createOneOffBuild(pool, { teamId }, PLANNED)).id;
    }),
  ).toEqual([`team:${teamId}`]);
  expect(await changesOf(() => finishBuild(pool, build, 'succeeded'))).toEqual([`team:${teamId}`]);
});

test('[DB-NOTE5] a check is announced if it ends otherwise than the one before', async () => {
  const { pipelineId, resources } = await savedSample('c');
  const own = [`pipeline:${pipelineId}`];
  const check = (status: 'succeeded' | 'failed') =>
    changesOf(async () => {
      const of = { resourceId: resources['r'] ?? 0 };
      const build = await createCheckBuild(db.pool, of, { ...PLANNED, manuallyTriggered: false });
      await finishBuild(db.pool, build?.id ?? 0, status);
    });
  expect(await check('succeeded')).toEqual(own);
  expect(await check('succeeded')).toEqual([]);
  expect(await check('failed')).toEqual(own);
  expect(await check('failed')).toEqual([]);
  expect(await check('succeeded')).toEqual(own);
});
