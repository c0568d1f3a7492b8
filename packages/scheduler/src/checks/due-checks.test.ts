import { type Build, createCheckBuild, finishBuild, inTransaction } from '@seaplane/db';
import {
  createTestDatabase,
  readPrivatePlans,
  sampleJob,
  sampleResource,
  saveSample,
  type TestDatabase,
} from '@seaplane/db/testing';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { StoredPipelines } from '../stored-pipelines.ts';
import { mostRowsOf } from '../testing/most-rows.ts';
import { saveVersions } from '../testing/save-versions.ts';
import { checkResource } from './check-builds.ts';
import { countCheckables, dueChecks } from './due-checks.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
});

afterAll(() => database[Symbol.asyncDispose]());

afterEach(() => database.pool.query('DELETE FROM pipeline'));

const input = (resource: string, trigger: boolean) => ({ name: resource, resource, passed: [], trigger });
const HOUR_MS = 3_600_000;
/** Connections that wait for a lock. */
const WAITING = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;

async function makeDue(resourceId: number | undefined): Promise<void> {
  await database.pool.query(
    `UPDATE resource_scope SET next_check_at = now() - interval '1 second'
     WHERE id = (SELECT scope_id FROM resource WHERE id = $1)`,
    [resourceId],
  );
}

const due = async () => (await dueChecks(database.pool, 100)).due;

async function startCheck(resourceId = 0): Promise<number> {
  const planned = { plan: { id: '1', do: [] }, publicPlan: {}, manuallyTriggered: false };
  return (await createCheckBuild(database.pool, { resourceId }, planned))?.id ?? 0;
}

test('[DUE1] where nothing is checked by itself, there is no next check to wait for', async () => {
  await saveSample(database.pool, { name: 'p' }, { jobs: [sampleJob('j')] });
  expect(await dueChecks(database.pool, 100)).toEqual({ due: [] });
});

test('[DUE2] a resource that was never checked is due, one with versions only when a job triggers on it', async () => {
  const { resources } = await saveSample(
    database.pool,
    { name: 'p' },
    {
      jobs: [sampleJob('j', { inputs: [input('watched', true), input('idle', false)] })],
      resources: ['new', 'watched', 'idle'].map((name) => sampleResource(name)),
    },
  );
  await saveVersions(database.pool, resources['watched'] ?? 0, ['1']);
  await saveVersions(database.pool, resources['idle'] ?? 0, ['1']);
  expect(await due()).toEqual([resources['new']]);
  await makeDue(resources['watched']);
  await makeDue(resources['idle']);
  expect((await due()).toSorted()).toEqual([resources['new'], resources['watched']].toSorted());
});

test('[DUE2] without versions, a resource that a job gets is due again, one that jobs only put is not', async () => {
  const { resources } = await saveSample(
    database.pool,
    { name: 'p' },
    {
      jobs: [sampleJob('j', { inputs: [input('got', false)], outputs: [{ name: 'put', resource: 'put' }] })],
      resources: ['got', 'put'].map((name) => sampleResource(name)),
    },
  );
  expect((await due()).toSorted()).toEqual(Object.values(resources).toSorted());
  for (const id of Object.values(resources)) {
    await saveVersions(database.pool, id, []);
    await makeDue(id);
  }
  expect(await due()).toEqual([resources['got']]);
  await database.pool.query('UPDATE resource_scope SET last_check_succeeded = false');
  expect((await due()).toSorted()).toEqual(Object.values(resources).toSorted());
});

test('[DUE3] the next check is waited for as long as it takes', async () => {
  const { resources } = await saveSample(
    database.pool,
    { name: 'p' },
    { jobs: [sampleJob('j', { inputs: [input('r', true)] })], resources: [sampleResource('r')] },
  );
  await saveVersions(database.pool, resources['r'] ?? 0, ['1']); // checked just now, and every hour
  const { nextInMs = 0 } = await dueChecks(database.pool, 100);
  expect(nextInMs).toBeGreaterThan(HOUR_MS / 2);
  expect(nextInMs).toBeLessThanOrEqual(HOUR_MS);
});

test('[DUE4] paused pipelines and `check_every: never` are never due', async () => {
  const never = { name: 'never', type: 'mock', source: {}, check_every: 'never' };
  await saveSample(database.pool, { name: 'p' }, { resources: [sampleResource('never', { config: never })] });
  const paused = await saveSample(database.pool, { name: 'q' }, { resources: [sampleResource('r')] });
  expect(await due()).toEqual([paused.resources['r']]);
  await database.pool.query('UPDATE pipeline SET paused = true WHERE id = $1', [paused.pipelineId]);
  expect(await due()).toEqual([]);
});

test('[DUE5] one that is being checked is not due; a check that came to nothing is tried again after a minute', async () => {
  const { resources } = await saveSample(database.pool, { name: 'p' }, { resources: [sampleResource('r')] });
  const check = await startCheck(resources['r']);
  expect(await due()).toEqual([]);
  await finishBuild(database.pool, check, 'errored');
  const { due: none, nextInMs = 0 } = await dueChecks(database.pool, 100);
  expect(none).toEqual([]);
  expect(nextInMs).toBeGreaterThan(0);
  expect(nextInMs).toBeLessThanOrEqual(60_000);
});

test('[DUE6] a resource whose source was changed is due at once, however recent its last check', async () => {
  const parts = (source: string) => ({
    resources: [sampleResource('r', { config: { name: 'r', type: 'mock', source: { source } } })],
  });
  const { resources } = await saveSample(database.pool, { name: 'p' }, parts('old'));
  const check = await startCheck(resources['r']);
  await finishBuild(database.pool, check, 'succeeded');
  await saveVersions(database.pool, resources['r'] ?? 0, ['1']);
  expect(await due()).toEqual([]);
  await saveSample(database.pool, { name: 'p' }, parts('new'));
  expect(await due()).toEqual([resources['r']]);
});

test('[DUE6] a resource whose source was changed is due at once, even if a check of the former source still runs', async () => {
  const parts = (source: string) => ({
    resources: [sampleResource('r', { config: { name: 'r', type: 'mock', source: { source } } })],
  });
  const { resources } = await saveSample(database.pool, { name: 'p' }, parts('old'));
  await startCheck(resources['r']);
  await saveSample(database.pool, { name: 'p' }, parts('new'));
  expect(await due()).toEqual([resources['r']]);
  expect(await startCheck(resources['r'])).toBeGreaterThan(0);
  expect(await due()).toEqual([]);
});

test('[DUE10] a check that is made while the pipeline is set checks the new source', async () => {
  const parts = (source: string) => ({
    resources: [sampleResource('r', { config: { name: 'r', type: 'mock', source: { source } } })],
  });
  const { pool } = database;
  const { resources } = await saveSample(pool, { name: 'p' }, parts('old'));
  const context = { db: pool, storedPipelines: new StoredPipelines() };
  const [resourceId = 0] = Object.values(resources);
  let check: Promise<Build | undefined> = Promise.resolve(undefined);
  await inTransaction(pool, async (tx) => {
    await saveSample(tx, { name: 'p' }, parts('new'));
    check = checkResource(context, resourceId, { manuallyTriggered: true });
    check.catch(() => {});
    await expect.poll(() => pool.query(WAITING).then(({ rowCount }) => rowCount)).toBe(1);
  });
  const id = (await check)?.id ?? 0;
  expect((await readPrivatePlans(pool, [id])).get(id)).toMatchObject({ check: { source: { source: 'new' } } });
});

test('[DUE3] the next check is known when the last one has recorded its end, even if its build still runs', async () => {
  const { resources } = await saveSample(
    database.pool,
    { name: 'p' },
    { jobs: [sampleJob('j', { inputs: [input('r', true)] })], resources: [sampleResource('r')] },
  );
  await startCheck(resources['r']);
  await saveVersions(database.pool, resources['r'] ?? 0, ['1']);
  expect((await dueChecks(database.pool, 100)).nextInMs).toBeGreaterThan(HOUR_MS / 2);
});

test('[DUE7] resources that are not due cost a look nothing', async () => {
  const { pool } = database;
  const names = Array.from({ length: 1_000 }, (_, n) => `r${n}`);
  const { resources } = await saveSample(
    pool,
    { name: 'p' },
    {
      jobs: [sampleJob('j', { inputs: names.map((name) => input(name, true)) })],
      resources: names.map((name) => sampleResource(name)),
    },
  );
  await pool.query(
    `WITH config AS (
       INSERT INTO resource_config (parent, source_digest) SELECT 'base:mock', id::text FROM resource RETURNING id, source_digest
     ), scope AS (
       INSERT INTO resource_scope (resource_config_id, resource_id, last_check_succeeded, next_check_at)
       SELECT id, source_digest::int, true, now() + interval '1 minute' FROM config RETURNING id, resource_id
     ), version AS (
       INSERT INTO resource_version (scope_id, version, check_order) SELECT id, '{"v": "1"}', 1 FROM scope
     )
     UPDATE resource SET scope_id = scope.id FROM scope WHERE resource.id = scope.resource_id`,
  );
  await makeDue(resources['r500']);
  await pool.query('ANALYZE');
  expect(await due()).toEqual([resources['r500']]);
  expect(await mostRowsOf(pool, (db) => dueChecks(db, 100))).toBeLessThan(100);
});

test('[DUE8] a look takes as many as it asks for, those first that have been due for longest', async () => {
  const names = ['a', 'b', 'c', 'd'];
  const { resources, pipelineId } = await saveSample(
    database.pool,
    { name: 'p' },
    {
      jobs: [sampleJob('j', { inputs: names.map((name) => input(name, true)) })],
      resources: names.map((name) => sampleResource(name)),
    },
  );
  for (const [seconds, name] of ['c', 'a', 'd', 'b'].entries()) {
    await saveVersions(database.pool, resources[name] ?? 0, ['1']);
    await database.pool.query(
      `UPDATE resource_scope SET next_check_at = now() - make_interval(secs => $2)
       WHERE id = (SELECT scope_id FROM resource WHERE id = $1)`,
      [resources[name], 60 - seconds],
    );
  }
  expect((await dueChecks(database.pool, 3)).due).toEqual(['c', 'a', 'd'].map((name) => resources[name]));
  expect(await countCheckables(database.pool)).toBe(4);
  await database.pool.query('UPDATE pipeline SET paused = true WHERE id = $1', [pipelineId]);
  expect(await countCheckables(database.pool)).toBe(0);
});

test('[DUE9] a changed check_every counts from the end of the last check', async () => {
  const set = async (check_every?: string) => {
    const { config } = sampleResource('r');
    const resource = sampleResource('r', { config: { ...config, ...(check_every && { check_every }) } });
    const jobs = [sampleJob('j', { inputs: [input('r', true)] })];
    return (await saveSample(database.pool, { name: 'p' }, { jobs, resources: [resource] })).resources['r'] ?? 0;
  };
  const id = await set('never');
  await saveVersions(database.pool, id, ['1']);
  await database.pool.query(
    `UPDATE resource_scope SET last_check_ended_at = now() - interval '10 minutes', next_check_at = 'infinity'`,
  );
  expect(await due()).toEqual([]);
  await set();
  expect(await due()).toEqual([id]);
  await set('1h');
  expect(await due()).toEqual([]);
  expect((await dueChecks(database.pool, 100)).nextInMs).toBeGreaterThan(HOUR_MS * 0.8);
  await set('2m');
  expect(await due()).toEqual([id]);
  await set('never');
  expect(await dueChecks(database.pool, 100)).toEqual({ due: [] });
});
