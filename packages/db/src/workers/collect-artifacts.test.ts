import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { createOneOffBuild } from '../builds/create-started-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { inTransaction } from '../queryable.ts';
import { sampleJob, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { createUploadedArtifact, findUploadedArtifact, recordArtifact } from './artifacts.ts';
import { findResourceCache, findTaskCache, saveResourceCache, saveTaskCache } from './caches.ts';
import { ARTIFACT_AGES, claimUnwantedArtifacts, forgetUnusedArtifacts } from './collect-artifacts.ts';
import { markUninterceptible } from './collect-sandboxes.ts';

const NO_AGE = { uploadMs: 0, idleCacheMs: 0, storedMs: 0 };
const NO_GRACE = { oneOffMs: 0, failedMs: 0, hijackMs: 0, idleCheckMs: 0, copyMs: 0 };

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());
afterEach(async () => {
  for (const table of ['build', 'artifact', 'pipeline']) await db.pool.query(`DELETE FROM ${table}`);
});

async function open() {
  const { pool } = db;
  const { teamId, jobs } = await saveSample(pool, { name: 'p' }, { jobs: [sampleJob('j', { tasks: ['unit'] })] });
  const planned = { plan: { id: '1', do: [] }, publicPlan: {} };
  return {
    pool,
    teamId,
    taskKey: { jobId: jobs['j'] ?? 0, stepName: 'unit', path: 'cache', worker: 'w' },
    startBuild: async () => (await createOneOffBuild(pool, { teamId }, planned)).id,
    store: (id: string) => recordArtifact(pool, { id, worker: 'w', stored: true }),
    fill: (cacheId: string, artifactId: string) =>
      saveResourceCache(pool, { cacheId, artifactId, version: {}, metadata: [] }, { type: 't', source: {} }),
    /** Collects as if everything were old. Returns the artifacts that the store may delete. */
    async collect() {
      await markUninterceptible(pool, NO_GRACE);
      await forgetUnusedArtifacts(pool, NO_AGE);
      return claimUnwantedArtifacts(pool, 'w', NO_AGE);
    },
  };
}

/** Waits until a statement of the test's database waits for a lock. */
function oneWaits(pool: TestDatabase['pool']): Promise<void> {
  return vi.waitFor(async () => {
    const { rowCount } = await pool.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    expect(rowCount).toBe(1);
  });
}

/** Runs `action` in a transaction, then `other`, which has to wait for it, and commits. Returns the result of `other`. */
async function whileOpen<T>(
  pool: pg.Pool,
  action: (tx: pg.ClientBase) => Promise<unknown>,
  other: () => Promise<T>,
): Promise<T> {
  const { waiting } = await inTransaction(pool, async (tx) => {
    await action(tx);
    const waiting = other();
    await oneWaits(pool);
    return { waiting };
  });
  return waiting;
}

test('[DB-ART7] a build that still runs keeps nothing that it does not use', async () => {
  const own = await open();
  await own.startBuild();
  for (const id of ['cached', 'replaced', 'newer', 'unwanted']) await own.store(id);
  await own.fill('c', 'cached');
  await saveTaskCache(own.pool, own.taskKey, 'replaced');
  await saveTaskCache(own.pool, own.taskKey, 'newer');
  expect(await own.collect()).toEqual(['cached', 'replaced', 'unwanted']);
});

test('[DB-ART7] an artifact that a running build found is kept until the build has ended, whatever referred to it', async () => {
  const own = await open();
  const { pool, teamId, taskKey } = own;
  const id = await own.startBuild();
  for (const artifact of ['cached', 'cached later', 'task', 'task later', 'upload']) await own.store(artifact);
  await own.fill('c', 'cached');
  await saveTaskCache(pool, taskKey, 'task');
  const upload = await createUploadedArtifact(pool, { teamId, name: 'in', artifactId: 'upload' });
  expect(await findResourceCache(pool, 'c', id)).toMatchObject({ artifactId: 'cached' });
  expect(await findTaskCache(pool, taskKey, id)).toBe('task');
  expect(await findUploadedArtifact(pool, upload.id, { id, teamId })).toBe('upload');

  await own.fill('c', 'cached later');
  await saveTaskCache(pool, taskKey, 'task later');
  expect(await own.collect()).toEqual([]);
  expect(await findUploadedArtifact(pool, upload.id, { id, teamId })).toBeUndefined(); // its number has expired
  await finishBuild(pool, id, 'succeeded');
  expect(await own.collect()).toEqual(['cached', 'cached later', 'task', 'upload']);
});

test('[DB-ART7] a cache that is found while a collector is about to delete it is kept', async () => {
  const own = await open();
  const id = await own.startBuild();
  await own.store('a');
  await own.fill('c', 'a');
  await own.pool.query("UPDATE resource_cache SET last_used_at = now() - interval '2 days'");
  await whileOpen(
    own.pool,
    (tx) => findResourceCache(tx, 'c', id),
    () => forgetUnusedArtifacts(own.pool, ARTIFACT_AGES),
  );
  expect(await own.collect()).toEqual([]);
  expect(await findResourceCache(own.pool, 'c', id)).toMatchObject({ artifactId: 'a' });
});

test('[DB-ART7] a cache that a collector deletes is not found, once the collector is done', async () => {
  const own = await open();
  const id = await own.startBuild();
  await own.store('a');
  await own.fill('c', 'a');
  const found = await whileOpen(
    own.pool,
    (tx) => forgetUnusedArtifacts(tx, NO_AGE),
    () => findResourceCache(own.pool, 'c', id),
  );
  expect(found).toBeUndefined();
  expect(await own.collect()).toEqual(['a']);
});

test('[DB-ART7] a task cache that is found while another build replaces it is kept', async () => {
  const own = await open();
  const { pool, taskKey } = own;
  const id = await own.startBuild();
  for (const artifact of ['old', 'new']) await own.store(artifact);
  await saveTaskCache(pool, taskKey, 'old');
  await whileOpen(
    pool,
    (tx) => findTaskCache(tx, taskKey, id),
    () => saveTaskCache(pool, taskKey, 'new'),
  );
  expect(await own.collect()).toEqual([]);
  await finishBuild(pool, id, 'succeeded');
  expect(await own.collect()).toEqual(['old']);
});

test('[DB-ART7] an upload that is found while its number expires is kept', async () => {
  const own = await open();
  const { pool, teamId } = own;
  const id = await own.startBuild();
  await own.store('upload');
  const upload = await createUploadedArtifact(pool, { teamId, name: 'in', artifactId: 'upload' });
  await whileOpen(
    pool,
    (tx) => findUploadedArtifact(tx, upload.id, { id, teamId }),
    () => forgetUnusedArtifacts(pool, NO_AGE),
  );
  expect(await own.collect()).toEqual([]);
});

test('[DB-ART10] a task cache with a ttl expires after its last use', async () => {
  const { pool, taskKey, store, startBuild, collect } = await open();
  const sawUse = (agoSeconds: number) =>
    pool.query('UPDATE task_cache SET last_used_at = now() - make_interval(secs => $1)', [agoSeconds]);
  await store('t1');
  await saveTaskCache(pool, taskKey, 't1', 60_000);
  await sawUse(50);
  const build = await startBuild();
  expect(await findTaskCache(pool, taskKey, build)).toBe('t1');
  await finishBuild(pool, build, 'succeeded');
  await sawUse(50);
  expect(await collect()).toEqual([]);
  await sawUse(61);
  expect(await findTaskCache(pool, taskKey, await startBuild())).toBeUndefined();
  expect(await collect()).toEqual(['t1']);

  await store('t2');
  await saveTaskCache(pool, taskKey, 't2');
  await sawUse(1_000_000);
  expect(await collect()).toEqual([]);
  expect(await findTaskCache(pool, taskKey, await startBuild())).toBe('t2');
});
