import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findJob } from '../jobs/job.ts';
import { Notifications } from '../notifications/notifications.ts';
import { type SavedSample, sampleJob, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { abortBuild } from './abort-build.ts';
import { findBuild, findJobBuild, readPrivatePlans, readPublicPlan } from './build.ts';
import { createJobBuild, ensurePendingBuild, rerunBuild } from './create-job-build.ts';
import { finishBuild } from './finish-build.ts';
import { startBuild } from './start-build.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

const plan = { id: '1', do: [] };
let pipelines = 0;

/** A job of a pipeline of its own. */
async function newJob(): Promise<{ jobId: number; pipelineId: number; sample: SavedSample }> {
  const jobs = [
    sampleJob('j', { inputs: [{ name: 'r', resource: 'r', passed: [], trigger: true }] }),
    sampleJob('down', { inputs: [{ name: 'r', resource: 'r', passed: ['j'], trigger: true }] }),
    sampleJob('apart'),
  ];
  const sample = await saveSample(db.pool, { name: `p${pipelines++}` }, { jobs, resources: [sampleResource('r')] });
  return { jobId: sample.jobs['j'] ?? 0, pipelineId: sample.pipelineId, sample };
}

async function newBuild(jobId: number): Promise<number> {
  return (await createJobBuild(db.pool, { jobId })).id;
}

async function run(id: number, status: 'succeeded' | 'failed' | 'errored' | 'aborted'): Promise<void> {
  await startBuild(db.pool, id, { plan, publicPlan: {} });
  await finishBuild(db.pool, id, status);
}

/** How often each job was asked to be scheduled while `action` ran. */
async function requests({ pipelineId }: { pipelineId: number }, action: () => Promise<unknown>) {
  const read = async () =>
    (
      await db.pool.query<{ name: string; n: number }>(
        'SELECT name, schedule_requested AS n FROM job WHERE pipeline_id = $1 ORDER BY name',
        [pipelineId],
      )
    ).rows;
  const before = await read();
  await action();
  const after = await read();
  return Object.fromEntries(after.map(({ name, n }, index) => [name, n - (before[index]?.n ?? 0)]));
}

describe('[DB-BLD1] builds of a job are named by its counter', () => {
  test('one by one, however many ask at once', async () => {
    const [one, two] = [await newJob(), await newJob()];
    const made = await Promise.all(
      Array.from({ length: 24 }, (_, n) => createJobBuild(db.pool, { jobId: n % 2 ? one.jobId : two.jobId })),
    );
    for (const { jobId } of [one, two]) {
      const builds = made.filter((build) => build.jobId === jobId).sort((a, b) => a.id - b.id);
      expect(builds.map(({ name }) => name)).toEqual(Array.from({ length: 12 }, (_, n) => String(n + 1)));
    }
  });
  test('pending, with who asked for them', async () => {
    const { jobId, pipelineId } = await newJob();
    const build = await createJobBuild(db.pool, { jobId, createdBy: 'bob' });
    expect(build).toMatchObject({
      name: '1',
      status: 'pending',
      createdBy: 'bob',
      manuallyTriggered: true,
      pipelineId,
    });
    expect(await findJobBuild(db.pool, jobId, '1')).toEqual(build);
    expect((await findJobBuild(db.pool, jobId, 'latest'))?.id).toBe(build.id);
    expect(await findJobBuild(db.pool, jobId, '2')).toBeUndefined();
    await expect(createJobBuild(db.pool, { jobId: 999_999 })).rejects.toMatchObject({ code: 'not-found' });
  });
});

test('[DB-BLD2] the scheduler has one pending build at most, however many webs try', async () => {
  const { jobId } = await newJob();
  const made = await Promise.all(Array.from({ length: 8 }, () => ensurePendingBuild(db.pool, jobId)));
  expect(made.filter(Boolean)).toMatchObject([{ name: '1', manuallyTriggered: false }]);
  await run(made.find(Boolean)?.id ?? 0, 'succeeded');
  expect(await ensurePendingBuild(db.pool, jobId)).toMatchObject({ name: '2' });
});

test('[DB-BLD3] reruns are named after the original and counted with it, also those of a rerun', async () => {
  const { jobId } = await newJob();
  const id = await newBuild(jobId);
  const first = await rerunBuild(db.pool, { buildId: id, createdBy: 'bob' });
  expect(first).toMatchObject({ name: '1.1', rerunOf: id, rerunOfName: '1', rerunNumber: 1, createdBy: 'bob' });
  const atOnce = await Promise.all([id, first.id, id].map((buildId) => rerunBuild(db.pool, { buildId })));
  expect(atOnce.map(({ name }) => name).sort()).toEqual(['1.2', '1.3', '1.4']);
  expect(atOnce.every(({ rerunOf }) => rerunOf === id)).toBe(true);
});

test('[DB-BLD4] starting a pending build saves its plan, appends an event and notifies the webs', async () => {
  const { jobId } = await newJob();
  const id = await newBuild(jobId);
  await using notifications = await Notifications.open(db.pool);
  const heard = Promise.withResolvers<string | undefined>();
  using _subscription = notifications.subscribe('buildStarted', heard.resolve);
  expect(await startBuild(db.pool, id, { plan, publicPlan: { id: '1' } })).toBe(true);
  expect(await heard.promise).toBe(String(id));
  expect(await findBuild(db.pool, id)).toMatchObject({ status: 'started', startedAt: expect.any(Date) });
  expect((await readPrivatePlans(db.pool, [id])).get(id)).toEqual(plan);
  expect(await readPublicPlan(db.pool, id)).toEqual({ id: '1' });
  expect(await startBuild(db.pool, id, { plan, publicPlan: {} })).toBe(false);
});

test('[DB-BLD5] a pending build that is aborted ends at once, even without its job; of a running one the webs are notified', async () => {
  const job = await newJob();
  await db.pool.query('UPDATE job SET active = false WHERE id = $1', [job.jobId]);
  const id = await newBuild(job.jobId);
  expect(await abortBuild(db.pool, id)).toBe(true);
  expect(await findBuild(db.pool, id)).toMatchObject({ status: 'aborted', endedAt: expect.any(Date) });
  expect(await startBuild(db.pool, id, { plan, publicPlan: {} })).toBe(false);
  expect(await abortBuild(db.pool, id)).toBe(false);

  await using notifications = await Notifications.open(db.pool);
  const heard = Promise.withResolvers<string | undefined>();
  using _subscription = notifications.subscribe('buildAborted', heard.resolve);
  const running = await newBuild(job.jobId);
  await startBuild(db.pool, running, { plan, publicPlan: {} });
  expect(await abortBuild(db.pool, running)).toBe(true);
  expect(await heard.promise).toBe(String(running));
});

test('[DB-BLD6] finishing is once: its time, its last event, no plan any more', async () => {
  const { jobId } = await newJob();
  const id = await newBuild(jobId);
  await startBuild(db.pool, id, { plan, publicPlan: { id: '1' } });
  const ends = await Promise.all((['failed', 'succeeded'] as const).map((status) => finishBuild(db.pool, id, status)));
  expect(ends.filter(Boolean)).toHaveLength(1);
  const build = await findBuild(db.pool, id);
  expect(build).toMatchObject({ status: ends[0] ? 'failed' : 'succeeded', endedAt: expect.any(Date) });
  expect((await readPrivatePlans(db.pool, [id])).get(id)).toBeUndefined();
  expect(await readPublicPlan(db.pool, id)).toEqual({ id: '1' });
  const { rows } = await db.pool.query('SELECT data FROM build_event WHERE build_id = $1 ORDER BY event_id', [id]);
  const time = Math.floor((build?.endedAt?.getTime() ?? 0) / 1000);
  expect(rows.at(-1)).toEqual({ data: { status: build?.status, time } });
  expect(rows).toHaveLength(2);
});

test('[DB-BLD7] the end of a build is a reason to schedule its job, those downstream, and those who share its slots', async () => {
  const jobs = [
    sampleJob('j', { serialGroups: ['g'] }),
    sampleJob('peer', { serialGroups: ['g', 'h'] }),
    sampleJob('h', { serialGroups: ['h'] }),
    sampleJob('down', { inputs: [{ name: 'r', resource: 'r', passed: ['j'], trigger: false }] }),
    sampleJob('apart'),
  ];
  const parts = { jobs, resources: [sampleResource('r')] };
  const sample = await saveSample(db.pool, { name: 'shared' }, parts);
  await saveSample(db.pool, { name: 'elsewhere' }, parts); // the same names in another pipeline
  const id = await newBuild(sample.jobs['j'] ?? 0);
  expect(await requests(sample, () => run(id, 'failed'))).toEqual({ j: 1, down: 1, peer: 1, h: 0, apart: 0 });
});

describe('[DB-BLD8] a job’s next and finished build', () => {
  async function state(pipelineId: number) {
    const job = await findJob(db.pool, pipelineId, 'j');
    return { next: job?.nextBuildId, finished: job?.finishedBuildId };
  }
  test('the first that waits or runs, and the latest that completed', async () => {
    const { jobId, pipelineId } = await newJob();
    expect(await state(pipelineId)).toEqual({});
    const [a, b, c] = [await newBuild(jobId), await newBuild(jobId), await newBuild(jobId)];
    expect(await state(pipelineId)).toEqual({ next: a });
    await run(b, 'failed');
    expect(await state(pipelineId)).toEqual({ next: a, finished: b });
    await run(a, 'succeeded'); // older than b
    expect(await state(pipelineId)).toEqual({ next: c, finished: b });
    await run(c, 'succeeded');
    expect(await state(pipelineId)).toEqual({ finished: c });
  });
  test('a rerun of the latest counts, one of an older does not', async () => {
    const { jobId, pipelineId } = await newJob();
    const [a, b] = [await newBuild(jobId), await newBuild(jobId)];
    await run(a, 'succeeded');
    await run(b, 'failed');
    const old = (await rerunBuild(db.pool, { buildId: a })).id;
    expect(await state(pipelineId)).toEqual({ finished: b });
    await run(old, 'failed');
    expect(await state(pipelineId)).toEqual({ finished: b });
    const again = (await rerunBuild(db.pool, { buildId: b })).id;
    expect(await state(pipelineId)).toEqual({ next: again, finished: b });
    await run(again, 'succeeded');
    expect(await state(pipelineId)).toEqual({ finished: again });
  });
});

test('[DB-BLD9] the transition build is where the job’s status last changed', async () => {
  const { jobId, pipelineId } = await newJob();
  const transition = async () => (await findJob(db.pool, pipelineId, 'j'))?.transitionBuildId;
  const ids = [];
  for (const status of ['succeeded', 'succeeded', 'failed', 'failed'] as const) {
    const id = await newBuild(jobId);
    ids.push(id);
    await run(id, status);
  }
  expect(await transition()).toBe(ids[2]);
  await run((await rerunBuild(db.pool, { buildId: ids[0] ?? 0 })).id, 'succeeded'); // of an older build
  expect(await transition()).toBe(ids[2]);
  const rerun = (await rerunBuild(db.pool, { buildId: ids[3] ?? 0 })).id;
  await run(rerun, 'succeeded');
  expect(await transition()).toBe(rerun);
});

test('[DB-BLD10] a successful build vouches for what it put before what it got, each once; a failed one for nothing', async () => {
  const { jobId, sample } = await newJob();
  const resourceId = sample.resources['r'];
  const [good, bad] = [await newBuild(jobId), await newBuild(jobId)];
  for (const id of [good, bad]) {
    await db.pool.query(
      `INSERT INTO build_input (build_id, name, resource_id, version_digest, version, first_occurrence, job_id)
       VALUES ($1, 'a', $2, 'got', '{}', true, $3), ($1, 'b', $2, 'both', '{}', true, $3)`,
      [id, resourceId, jobId],
    );
    await db.pool.query(
      `INSERT INTO build_output (build_id, name, resource_id, version_digest, version)
       VALUES ($1, 'a', $2, 'zput', '{}'), ($1, 'b', $2, 'both', '{}'), ($1, 'c', $2, 'both', '{}')`,
      [id, resourceId],
    );
  }
  await run(good, 'succeeded');
  await run(bad, 'failed');
  const { rows } = await db.pool.query('SELECT build_id, outputs FROM successful_build_output WHERE job_id = $1', [
    jobId,
  ]);
  expect(rows).toEqual([{ build_id: good, outputs: { [String(resourceId)]: ['both', 'zput', 'got'] } }]);
});
