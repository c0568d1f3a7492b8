import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJobBuild } from '../builds/create-job-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { appendEvents } from '../events/append-events.ts';
import { sampleJob, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { archiveAbandonedPipelines, archivePipeline } from './archive-pipeline.ts';
import {
  destroyPipeline,
  exposePipeline,
  orderInstances,
  orderPipelines,
  pauseIdlePipelines,
  pausePipeline,
  renamePipeline,
  unpausePipeline,
} from './change-pipeline.ts';
import { findPipelineById, listPipelines } from './pipeline.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

async function child(name: string, parentJobId: number, parentBuildId: number): Promise<number> {
  const { pipelineId } = await saveSample(db.pool, { name }, { jobs: [sampleJob('j')] });
  await db.pool.query('UPDATE pipeline SET parent_job_id = $2, parent_build_id = $3 WHERE id = $1', [
    pipelineId,
    parentJobId,
    parentBuildId,
  ]);
  return pipelineId;
}

async function isArchived(id: number): Promise<boolean | undefined> {
  return (await findPipelineById(db.pool, id))?.archived;
}

test('[DB-PIPE13] pausing names who did it; unpausing schedules its jobs, and never an archived one', async () => {
  const { pipelineId } = await saveSample(db.pool, { name: 'paused' }, { jobs: [sampleJob('j')] });
  await pausePipeline(db.pool, pipelineId, 'bob');
  expect(await findPipelineById(db.pool, pipelineId)).toMatchObject({ paused: true, pausedBy: 'bob' });
  const requested = async () =>
    (await db.pool.query('SELECT schedule_requested AS n FROM job WHERE pipeline_id = $1', [pipelineId])).rows[0].n;
  const before = await requested();
  await unpausePipeline(db.pool, pipelineId);
  expect(await findPipelineById(db.pool, pipelineId)).toMatchObject({ paused: false });
  expect(await requested()).toBe(before + 1);
  await archivePipeline(db.pool, pipelineId, 'bob');
  await unpausePipeline(db.pool, pipelineId);
  expect(await findPipelineById(db.pool, pipelineId)).toMatchObject({ paused: true, archived: true });
});

test('[DB-PIPE14] exposing shows it to those who see public pipelines', async () => {
  const { pipelineId } = await saveSample(db.pool, { name: 'public' }, {});
  const seen = async () => (await listPipelines(db.pool, { teamIds: [], orPublic: true })).map(({ id }) => id);
  expect(await seen()).not.toContain(pipelineId);
  await exposePipeline(db.pool, pipelineId, true);
  expect(await seen()).toContain(pipelineId);
  await exposePipeline(db.pool, pipelineId, false);
  expect(await seen()).not.toContain(pipelineId);
});

test('[DB-PIPE15] renaming renames all instances, and not over another', async () => {
  const { teamId, pipelineId } = await saveSample(db.pool, { name: 'old', instanceVars: { n: 1 } }, {});
  await saveSample(db.pool, { name: 'old', instanceVars: { n: 2 } }, {});
  expect(await renamePipeline(db.pool, teamId, 'old', 'new')).toBe(true);
  expect(await renamePipeline(db.pool, teamId, 'old', 'new')).toBe(false);
  expect(await findPipelineById(db.pool, pipelineId)).toMatchObject({ name: 'new' });
  await saveSample(db.pool, { name: 'other', instanceVars: { n: 2 } }, {});
  await expect(renamePipeline(db.pool, teamId, 'new', 'other')).rejects.toMatchObject({ code: 'name-taken' });
});

test('[DB-PIPE16] names and the instances of a name are ordered; an unknown name is returned and changes nothing', async () => {
  await using own = await createTestDatabase();
  const { teamId } = await saveSample(own.pool, { name: 'a' }, {});
  for (const n of [1, 2]) await saveSample(own.pool, { name: 'b', instanceVars: { n } }, {});
  const names = async () =>
    (await listPipelines(own.pool)).map(({ name, instanceVars }) => `${name}${instanceVars?.['n'] ?? ''}`);
  expect(await orderPipelines(own.pool, teamId, ['b', 'x'])).toBe('x');
  expect(await names()).toEqual(['a', 'b1', 'b2']);
  expect(await orderPipelines(own.pool, teamId, ['b', 'a'])).toBeUndefined();
  expect(await names()).toEqual(['b1', 'b2', 'a']);
  expect(await orderInstances(own.pool, teamId, 'b', [{ n: 2 }, { n: 3 }])).toEqual({ n: 3 });
  expect(await orderInstances(own.pool, teamId, 'b', [{ n: 2 }, { n: 1 }])).toBeUndefined();
  expect(await names()).toEqual(['b2', 'b1', 'a']);
});

test('[DB-PIPE17] destroying takes its builds, their events and journals along', async () => {
  const { pipelineId, jobs } = await saveSample(db.pool, { name: 'gone' }, { jobs: [sampleJob('j')] });
  const build = await createJobBuild(db.pool, { jobId: jobs['j'] ?? 0 });
  await appendEvents(db.pool, build.id, [{ event: 'error', data: { message: 'x', origin: { id: '' }, time: 1 } }]);
  expect(await destroyPipeline(db.pool, pipelineId)).toBe(true);
  expect(await destroyPipeline(db.pool, pipelineId)).toBe(false);
  const { rows } = await db.pool.query(
    `SELECT FROM build WHERE id = $1 UNION ALL SELECT FROM build_event WHERE build_id = $1
     UNION ALL SELECT FROM build_journal_head WHERE build_id = $1`,
    [build.id],
  );
  expect(rows).toHaveLength(0);
});

test('[DB-PIPE18] a successful build archives what an earlier build of its job has set and it has not, and theirs', async () => {
  const { jobs } = await saveSample(db.pool, { name: 'parent' }, { jobs: [sampleJob('set'), sampleJob('other')] });
  const jobId = jobs['set'] ?? 0;
  const builds = [];
  for (let n = 0; n < 3; n++) builds.push((await createJobBuild(db.pool, { jobId })).id);
  const [first = 0, second = 0, third = 0] = builds;
  const unset = await child('unset', jobId, first);
  const kept = await child('kept', jobId, second);
  const { rows } = await db.pool.query<{ id: number }>('SELECT id FROM job WHERE pipeline_id = $1', [unset]);
  const grandchild = await child('grandchild', rows[0]?.id ?? 0, 1);
  const others = await child('others', jobs['other'] ?? 0, first);
  await finishBuild(db.pool, third, 'failed');
  expect(await isArchived(unset)).toBe(false);
  await finishBuild(db.pool, second, 'succeeded');
  expect(await Promise.all([unset, kept, grandchild, others].map(isArchived))).toEqual([true, false, true, false]);
});

test('[DB-PIPE19] pipelines whose parent is gone, inactive, archived or no longer sets them are archived', async () => {
  const parent = await saveSample(db.pool, { name: 'p19' }, { jobs: [sampleJob('a'), sampleJob('b')] });
  const orphan = await child('orphan', 999_999, 1);
  const inactive = await child('inactive', parent.jobs['b'] ?? 0, 1);
  const jobId = parent.jobs['a'] ?? 0;
  const build = await createJobBuild(db.pool, { jobId });
  const current = await child('current', jobId, build.id);
  await saveSample(db.pool, { name: 'p19' }, { jobs: [sampleJob('a')] });
  while ((await archiveAbandonedPipelines(db.pool)) > 0);
  expect(await Promise.all([orphan, inactive, current].map(isArchived))).toEqual([true, true, false]);
  await archivePipeline(db.pool, parent.pipelineId, 'me');
  while ((await archiveAbandonedPipelines(db.pool)) > 0);
  expect(await isArchived(current)).toBe(true);
});

test('[DB-PIPE20] archiving is a reason to schedule the jobs whose builds wait, and no others', async () => {
  const { pipelineId, jobs } = await saveSample(
    db.pool,
    { name: 'p20' },
    { jobs: [sampleJob('waits'), sampleJob('idle')] },
  );
  await createJobBuild(db.pool, { jobId: jobs['waits'] ?? 0 });
  await db.pool.query('UPDATE job SET scheduled = schedule_requested WHERE pipeline_id = $1', [pipelineId]);
  await archivePipeline(db.pool, pipelineId, 'me');
  const { rows } = await db.pool.query(
    'SELECT name FROM job WHERE pipeline_id = $1 AND schedule_requested > scheduled',
    [pipelineId],
  );
  expect(rows).toEqual([{ name: 'waits' }]);
});

test('[DB-PIPE21] idle pipelines are paused, and neither new ones nor those with recent or waiting builds', async () => {
  const { pool } = db;
  const make = async (name: string) => {
    const { pipelineId, jobs } = await saveSample(pool, { name }, { jobs: [sampleJob('j')] });
    await pool.query('UPDATE pipeline SET paused = false WHERE id = $1', [pipelineId]);
    return { pipelineId, jobId: jobs['j'] ?? 0 };
  };
  const build = async (jobId: number, endedDaysAgo: number) => {
    const { id } = await createJobBuild(pool, { jobId });
    await finishBuild(pool, id, 'failed');
    await pool.query('UPDATE build SET ended_at = now() - make_interval(days => $2) WHERE id = $1', [id, endedDaysAgo]);
  };
  const fresh = await make('just-set');
  const [never, old, recent, waiting] = [
    await make('never'),
    await make('old'),
    await make('recent'),
    await make('waiting'),
  ];
  await build(old.jobId, 20);
  await build(recent.jobId, 5);
  await createJobBuild(pool, { jobId: waiting.jobId });
  const ids = [never, old, recent, waiting].map(({ pipelineId }) => pipelineId);
  await pool.query("UPDATE pipeline SET updated_at = now() - interval '30 days' WHERE id = ANY($1)", [ids]);

  expect((await pauseIdlePipelines(pool, 10)).sort()).toEqual([never.pipelineId, old.pipelineId].sort());
  expect(await findPipelineById(pool, old.pipelineId)).toMatchObject({
    paused: true,
    pausedBy: 'automatic-pipeline-pauser',
  });
  for (const { pipelineId } of [fresh, recent, waiting]) {
    expect((await findPipelineById(pool, pipelineId))?.paused).toBe(false);
  }
});
