import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEvents } from '../events/read-events.ts';
import { Locks } from '../locks/locks.ts';
import { type SavedSample, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { markUninterceptible } from '../workers/collect-sandboxes.ts';
import { abortBuild } from './abort-build.ts';
import { deleteOldChecks } from './collect-builds.ts';
import { createCheckBuild, createOneOffBuild } from './create-started-build.ts';
import { finishBuild } from './finish-build.ts';
import { listStartedBuilds, trackBuilds } from './tracked-builds.ts';

let db: TestDatabase;
let sample: SavedSample;
beforeAll(async () => {
  db = await createTestDatabase();
  const resourceTypes = [{ name: 't', type: 'mock', config: { name: 't' } }];
  sample = await saveSample(db.pool, { name: 'p' }, { resources: [sampleResource('r')], resourceTypes });
});
afterAll(() => db[Symbol.asyncDispose]());

const planned = { plan: { id: '1', do: [] }, publicPlan: {} };
const graces = { oneOffMs: 0, failedMs: 1, hijackMs: 0, idleCheckMs: 0, copyMs: 0 };

test('[DB-BLD11] a one-off build starts at once, named by a sequence, and belongs to its team or pipeline', async () => {
  const { teamId, pipelineId } = sample;
  const one = await createOneOffBuild(db.pool, { teamId }, { ...planned, createdBy: 'bob' });
  expect(one).toMatchObject({ status: 'started', createdBy: 'bob', teamName: 'main' });
  expect(one).not.toHaveProperty('pipelineId');
  const two = await createOneOffBuild(db.pool, { teamId, pipelineId }, planned);
  expect(two).toMatchObject({ pipelineName: 'p', name: String(Number(one.name) + 1) });
  expect((await readEvents(db.pool, one.id, 0)).events).toMatchObject([{ id: 0, type: 'status' }]);
});

test('[DB-BLD12] a check that nobody asked for is not made while one runs; one that somebody did always is', async () => {
  const of = { resourceId: sample.resources['r'] ?? 0 };
  const periodic = { ...planned, manuallyTriggered: false };
  const atOnce = await Promise.all([1, 2, 3].map(() => createCheckBuild(db.pool, of, periodic)));
  const [first] = atOnce.filter((build) => build !== undefined);
  expect(atOnce.filter(Boolean)).toHaveLength(1);
  expect(first).toMatchObject({ name: 'check', resourceName: 'r', status: 'started', manuallyTriggered: false });
  const asked = await createCheckBuild(db.pool, of, { ...planned, manuallyTriggered: true, createdBy: 'bob' });
  expect(asked).toMatchObject({ name: 'check', createdBy: 'bob' });
  for (const build of [first, asked]) await finishBuild(db.pool, build?.id ?? 0, 'succeeded');
  expect(await createCheckBuild(db.pool, of, periodic)).toBeDefined();
  const { rows } = await db.pool.query('SELECT id FROM resource_type');
  const ofType = { resourceTypeId: rows[0].id };
  expect(await createCheckBuild(db.pool, ofType, periodic)).toMatchObject({ resourceTypeName: 't' });
  await expect(createCheckBuild(db.pool, { resourceId: 999 }, periodic)).rejects.toMatchObject({ code: 'not-found' });
});

test('[DB-BLD13] a started build is run by one web at a time, until it lets go or the build ends', async () => {
  const listed = async (buildId: number) => (await listStartedBuilds(db.pool)).find((build) => build.id === buildId);
  await using here = new Locks(db.pool);
  await using there = new Locks(db.pool);
  const { id } = await createOneOffBuild(db.pool, { teamId: sample.teamId }, planned);
  expect(await listed(id)).toEqual({ id, aborted: false, held: false, suspect: false });
  const [mine] = await trackBuilds(db.pool, here, [id]);
  expect(mine).toMatchObject({ build: { id }, plan: planned.plan });
  expect(await trackBuilds(db.pool, there, [id])).toEqual([]);
  expect(await listed(id)).toMatchObject({ held: true, suspect: false });
  await mine?.[Symbol.asyncDispose]();
  const [theirs] = await trackBuilds(db.pool, there, [id]);
  expect(theirs?.lost.aborted).toBe(false);
  await abortBuild(db.pool, id);
  expect(await listed(id)).toEqual({ id, aborted: true, held: true, suspect: false });
  await finishBuild(db.pool, id, 'succeeded');
  await theirs?.[Symbol.asyncDispose]();
  expect(await trackBuilds(db.pool, here, [id])).toEqual([]);
  expect(await listed(id)).toBeUndefined();
});

test('[DB-BLD18] builds are taken together; builds that others have or that have ended are left out, and their locks are free', async () => {
  await using here = new Locks(db.pool);
  await using there = new Locks(db.pool);
  const ids: number[] = [];
  for (let n = 0; n < 5; n++) ids.push((await createOneOffBuild(db.pool, { teamId: sample.teamId }, planned)).id);
  const [first = 0, second = 0, ...others] = ids;
  await there.tryAcquire('build', first);
  await finishBuild(db.pool, second, 'succeeded');
  const taken = await trackBuilds(db.pool, here, [...ids, 999_999]);
  expect(taken.map(({ build }) => build.id)).toEqual(others);
  for (const free of [second, 999_999]) expect(await there.tryAcquire('build', free)).toBeDefined();
  for (const held of others) expect(await there.tryAcquire('build', held)).toBeUndefined();
});

test('[DB-BLD18] a failure frees the locks', async () => {
  await using here = new Locks(db.pool);
  await using there = new Locks(db.pool);
  const { id } = await createOneOffBuild(db.pool, { teamId: sample.teamId }, planned);
  const broken = Object.assign(Object.create(db.pool), { query: () => Promise.reject(new Error('away')) });
  await expect(trackBuilds(broken, here, [id])).rejects.toThrow('away');
  expect(await there.tryAcquire('build', id)).toBeDefined();
});

test('[DB-BLD14] checks that have ended are deleted with their events, but for the last of what is checked', async () => {
  const { resources } = await saveSample(db.pool, { name: 'checks' }, { resources: [sampleResource('r')] });
  const ids: number[] = [];
  for (let n = 0; n < 3; n++) {
    const check = { ...planned, manuallyTriggered: true };
    ids.push((await createCheckBuild(db.pool, { resourceId: resources['r'] ?? 0 }, check))?.id ?? 0);
  }
  await db.pool.query(
    `WITH config AS (INSERT INTO resource_config (parent, source_digest) VALUES ('base:mock', 'bld14') RETURNING id)
     INSERT INTO resource_scope (resource_config_id, resource_id, last_check_build_id) SELECT id, $1, $2 FROM config`,
    [resources['r'], ids[1]],
  );
  for (const id of ids.slice(0, 2)) await finishBuild(db.pool, id, 'succeeded');
  await markUninterceptible(db.pool, graces);
  expect(await deleteOldChecks(db.pool, 3_600_000)).toBe(0); // their logs are still read
  while ((await deleteOldChecks(db.pool, 0)) > 0);
  const { rows } = await db.pool.query('SELECT id FROM build WHERE id = ANY($1) ORDER BY id', [ids]);
  expect(rows.map(({ id }) => id)).toEqual(ids.slice(1));
  expect((await readEvents(db.pool, ids[0] ?? 0, 0)).events).toEqual([]);
  expect((await readEvents(db.pool, ids[1] ?? 0, 0)).events).toHaveLength(2);
});
