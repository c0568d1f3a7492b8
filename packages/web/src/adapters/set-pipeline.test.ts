import type { Plan } from '@seaplane/config';
import {
  type BuildJournal,
  createJobBuild,
  createJournal,
  createOneOffBuild,
  ensureMainTeam,
  findPipeline,
  readPipelineConfig,
  savePipeline,
  startBuild,
} from '@seaplane/db';
import { createTestDatabase, readEvents, sampleJob, saveSample } from '@seaplane/db/testing';
import { Drained, walkBuild } from '@seaplane/engine';
import { manualClock, memorySeams, newWorld, pipelinesContract, TEST_BUILD } from '@seaplane/engine/testing';
import type pg from 'pg';
import { expect, test } from 'vitest';
import { createPipelines } from './set-pipeline.ts';
import { YamlThreads } from './yaml-threads.ts';

const CONFIG = 'jobs: [{name: unit, plan: []}]';
const plan: Plan = {
  id: '0',
  do: [
    { id: '1', artifact_input: { artifact_id: 1, name: 'repo' } },
    { id: '2', set_pipeline: { name: 'child', file: 'repo/p.yml' } },
  ],
};

/** Walks a build with a set_pipeline step. With `crash`, web dies just before it records the step's result. */
async function walk(pool: pg.Pool, id: number, { crash = false, config = CONFIG, jobId = 0 } = {}) {
  await using yaml = new YamlThreads();
  const world = newWorld();
  world.uploads.set(1, 'upload');
  world.artifacts.set('upload', { 'p.yml': config });
  const real = createJournal(pool, id);
  const journal: BuildJournal = {
    ...real,
    record: async (key, value) => {
      if (crash && key.planId === '2' && key.what === 'result') throw new Error('crash');
      return real.record(key, value);
    },
  };
  const pipelines = createPipelines(pool, journal, yaml);
  const seams = { ...memorySeams(world, journal, manualClock()), pipelines, yaml };
  const { jobId: _, ...oneOff } = { ...TEST_BUILD, id };
  const build = jobId ? { ...oneOff, jobId } : oneOff;
  const never = new AbortController().signal;
  return walkBuild(seams, build, plan, { abort: never, drain: never });
}

async function linesOf(pool: pg.Pool, id: number): Promise<string[]> {
  const { events } = await readEvents(pool, id, 0);
  return events.flatMap(({ type, data }) =>
    type === 'log' ? [(JSON.parse(data) as { payload: string }).payload] : [],
  );
}

test('[SETP1] a set_pipeline step that is resumed reports what it did, and sets nothing twice', async () => {
  await using db = await createTestDatabase();
  const { pool } = db;
  const { id: teamId } = await ensureMainTeam(pool, {});
  const { id } = await createOneOffBuild(pool, { teamId }, { plan, publicPlan: {} });
  await expect(walk(pool, id, { crash: true })).rejects.toThrow(Drained);
  const child = await findPipeline(pool, teamId, { name: 'child' });
  const fromVersion = (await readPipelineConfig(pool, child?.id ?? 0))?.version ?? 0;
  const pipeline = { config: { jobs: [] }, shown: {}, jobs: [], resources: [], resourceTypes: [], prototypes: [] };
  await savePipeline(pool, { teamId, ref: { name: 'child' }, pipeline, fromVersion });

  expect(await walk(pool, id)).toEqual({ status: 'succeeded' });
  const [diff, ...rest] = await linesOf(pool, id);
  expect(diff).toContain('job unit has been added:');
  expect(rest).toEqual(['setting pipeline: child\n', 'done\n']);
  expect((await readPipelineConfig(pool, child?.id ?? 0))?.config).toEqual({ jobs: [] });
});

test('[SETP1] a resumed set_pipeline step that changed nothing reports that', async () => {
  await using db = await createTestDatabase();
  const { pool } = db;
  const { id: teamId } = await ensureMainTeam(pool, {});
  const build = () => createOneOffBuild(pool, { teamId }, { plan, publicPlan: {} });
  expect(await walk(pool, (await build()).id)).toEqual({ status: 'succeeded' });
  const { id } = await build();
  await expect(walk(pool, id, { crash: true })).rejects.toThrow(Drained);
  expect(await walk(pool, id)).toEqual({ status: 'succeeded' });
  expect(await linesOf(pool, id)).toEqual(['no changes to apply.\n']);
});

test('[SETP3] a set_pipeline step that changes nothing saves nothing, and its build owns the pipeline', async () => {
  await using db = await createTestDatabase();
  const { pool } = db;
  const { jobs } = await saveSample(pool, { name: 'parent' }, { jobs: [sampleJob('setter')] });
  const set = async () => {
    const { id } = await createJobBuild(pool, { jobId: jobs['setter'] ?? 0 });
    await startBuild(pool, id, { plan, publicPlan: {} });
    expect(await walk(pool, id, { jobId: jobs['setter'] ?? 0 })).toEqual({ status: 'succeeded' });
    return id;
  };
  const read = async () =>
    (
      await pool.query(
        `SELECT config_version, updated_at, parent_build_id AS parent,
           (SELECT sum(schedule_requested) FROM job WHERE pipeline_id = pipeline.id) AS scheduled
         FROM pipeline WHERE name = 'child'`,
      )
    ).rows[0];
  const first = await set();
  const before = await read();
  expect(before).toMatchObject({ parent: first });
  const second = await set();
  expect(await read()).toEqual({ ...before, parent: second });
});

test.each([
  ['jobs: []', 'failed'],
  ['jobs: [{name: unit, plans: []}]', 'failed'],
  ['jobs: [', 'failed'],
])('[SETP2] with the file %j the step is %s', async (config, status) => {
  await using db = await createTestDatabase();
  const { id: teamId } = await ensureMainTeam(db.pool, {});
  const { id } = await createOneOffBuild(db.pool, { teamId }, { plan, publicPlan: {} });
  expect(await walk(db.pool, id, { config })).toEqual({ status });
});

pipelinesContract('the database', async () => {
  await using parts = new AsyncDisposableStack();
  const { pool } = parts.use(await createTestDatabase());
  const yaml = parts.use(new YamlThreads());
  const { id: teamId } = await ensureMainTeam(pool, {});
  const { jobId: _, ...build } = TEST_BUILD;
  const kept = parts.move();
  return {
    pipelines: {
      setPipeline: (of, request, signal) =>
        createPipelines(pool, createJournal(pool, of.id), yaml).setPipeline(of, request, signal),
    },
    newBuild: async () => ({
      ...build,
      id: (await createOneOffBuild(pool, { teamId }, { plan, publicPlan: {} })).id,
    }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
});
