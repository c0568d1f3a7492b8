import type { Version } from '@seaplane/config';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createJobBuild } from '../builds/create-job-build.ts';
import { createOneOffBuild } from '../builds/create-started-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { Locks } from '../locks/locks.ts';
import { destroyPipeline } from '../pipelines/change-pipeline.ts';
import { findOrCreateResourceConfig } from '../resources/resource-config.ts';
import { findOrCreateScope } from '../resources/scope.ts';
import { type SavedSample, sampleJob, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import {
  createUploadedArtifact,
  findArtifact,
  findWorkerArtifact,
  listBuildArtifacts,
  markArtifactStored,
  publishArtifact,
  recordArtifact,
  recordArtifactCopy,
} from './artifacts.ts';
import {
  clearResourceCaches,
  clearTaskCaches,
  findResourceCache,
  findTaskCache,
  recordCacheUse,
  recordImageUse,
  saveResourceCache,
  saveTaskCache,
} from './caches.ts';
import { claimUnwantedArtifacts, findUnknownArtifacts, forgetUnusedArtifacts } from './collect-artifacts.ts';
import { forgetSandbox, markUninterceptible } from './collect-sandboxes.ts';
import { createRecords } from './records.ts';

let db: TestDatabase;
let sample: SavedSample;
beforeAll(async () => {
  db = await createTestDatabase();
  sample = await saveSample(db.pool, { name: 'p' }, { jobs: [sampleJob('j', { tasks: ['unit'] })] });
});
afterAll(() => db[Symbol.asyncDispose]());

const OF = { type: 'git', source: { uri: 'x' } };
const planned = { plan: { id: '1', do: [] }, publicPlan: {} };
const later = { uploadMs: 3_600_000, idleCacheMs: 3_600_000, storedMs: 3_600_000 };
const soon = { uploadMs: 0, idleCacheMs: 0, storedMs: 0 };

async function newBuild(): Promise<number> {
  return (await createOneOffBuild(db.pool, { teamId: sample.teamId }, planned)).id;
}

test('[DB-ART1] is recorded once; that it is stored is learned; lost with its sandbox unless stored', async () => {
  const buildId = await newBuild();
  await using locks = new Locks(db.pool);
  const records = createRecords({ pool: db.pool, locks });
  const owner = { buildId, planId: '1' };
  const labels = { type: 'get', team: 'main', step: 's' } as const;
  await records.recordSandbox({ handle: 'h1', worker: 'w', owner, labels, workingDirectory: '', user: '' });
  const row = { id: 'a1', worker: 'w', sandbox: { handle: 'h1', path: '/x' }, stored: false };
  await records.recordArtifact(row);
  await records.recordArtifact({ ...row, worker: 'other' });
  await records.recordArtifact({ ...row, id: 'a2' });
  expect(await records.findArtifact('a1')).toEqual({ ...row, buildId, untouched: false, copies: [] });
  await records.markArtifactStored('a1');
  await markArtifactStored(db.pool, 'a1');
  expect(await findArtifact(db.pool, 'a1')).toEqual({ ...row, stored: true, buildId, untouched: true, copies: [] });
  await forgetSandbox(db.pool, 'h1'); // nobody had meant it to go
  expect(await findArtifact(db.pool, 'a2')).toBeDefined();
  await db.pool.query("UPDATE sandbox SET state = 'destroying' WHERE handle = 'h1'");
  await forgetSandbox(db.pool, 'h1');
  const kept = { id: 'a1', worker: 'w', stored: true, buildId, untouched: true, copies: [] };
  expect(await findArtifact(db.pool, 'a1')).toEqual(kept);
  expect(await findArtifact(db.pool, 'a2')).toBeUndefined();
});

test('[DB-ART2] uploads and outputs have numbers; an output that is published again is the later one', async () => {
  for (const id of ['up', 'out1', 'out2']) await recordArtifact(db.pool, { id, worker: 'w', stored: true });
  const upload = await createUploadedArtifact(db.pool, { teamId: sample.teamId, name: 'in', artifactId: 'up' });
  expect(await findWorkerArtifact(db.pool, upload.id)).toEqual(upload);
  const buildId = await newBuild();
  await publishArtifact(db.pool, buildId, 'out', 'out1');
  await publishArtifact(db.pool, buildId, 'out', 'out2');
  expect(await listBuildArtifacts(db.pool, buildId)).toMatchObject([{ name: 'out', artifactId: 'out2', buildId }]);
  expect(await findWorkerArtifact(db.pool, 999)).toBeUndefined();
});

test('[DB-ART2] a build finds the uploads of its own team alone', async () => {
  await using locks = new Locks(db.pool);
  const records = createRecords({ pool: db.pool, locks });
  await recordArtifact(db.pool, { id: 'own', worker: 'w', stored: true });
  const { id } = await createUploadedArtifact(db.pool, { teamId: sample.teamId, name: 'in', artifactId: 'own' });
  const build = { id: await newBuild(), teamId: sample.teamId };
  expect(await records.findUploadedArtifact(id, build)).toBe('own');
  expect(await records.findUploadedArtifact(id, { ...build, teamId: sample.teamId + 1 })).toBeUndefined();
});

test('[DB-ART3] a fetch is found under its name, is replaced, and is made by one at a time', async () => {
  await using locks = new Locks(db.pool);
  const records = createRecords({ pool: db.pool, locks });
  for (const id of ['c1', 'c2']) await recordArtifact(db.pool, { id, worker: 'w', stored: true });
  const cache = { cacheId: 'c', artifactId: 'c1', version: { v: '1' }, metadata: [{ name: 'k', value: 'v' }] };
  const buildId = await newBuild();
  expect(await records.findCache('c', buildId)).toBeUndefined();
  await records.saveCache(cache, OF);
  await records.saveCache({ ...cache, artifactId: 'c2' }, OF);
  expect(await records.findCache('c', buildId)).toEqual({ ...cache, artifactId: 'c2' });
  let inside = 0;
  const signal = new AbortController().signal;
  const waits: number[] = [];
  const entered = await Promise.all(
    [1, 2, 3].map((n) =>
      records.withLock(
        'cache',
        'c',
        signal,
        async () => void waits.push(n),
        async () => {
          inside++;
          await records.findCache('c', buildId);
          return inside--;
        },
      ),
    ),
  );
  expect(entered).toEqual([1, 1, 1]);
  expect(waits).toHaveLength(2);
});

test('[DB-ART9] the caches of a resource are cleared, all or those of a version; builds keep what they have got', async () => {
  const { pool } = db;
  const of = { type: 'git', source: { uri: 'cleared' } };
  const resources = ['r', 'unchecked'].map((name) => sampleResource(name));
  const { r = 0, unchecked = 0 } = (await saveSample(pool, { name: 'cleared' }, { resources })).resources;
  const configId = await findOrCreateResourceConfig(pool, of);
  const scopeId = await findOrCreateScope(pool, configId, r);
  await pool.query('UPDATE resource SET scope_id = $2 WHERE id = $1', [r, scopeId]);
  const save = async (id: string, version: Version, config: Parameters<typeof saveResourceCache>[2]) => {
    await recordArtifact(pool, { id, worker: 'w', stored: true });
    await saveResourceCache(pool, { cacheId: id, artifactId: id, version, metadata: [] }, config);
  };
  await save('r1', { v: '1' }, of);
  await save('r1-other-params', { v: '1' }, of);
  await save('r2', { v: '2' }, of);
  await save('other-source', { v: '1' }, { ...of, source: { uri: 'y' } });
  await save('other-type', { v: '1' }, { ...of, imageCacheId: 'image' });
  const build = await newBuild();
  await recordCacheUse(pool, 'r2', build);

  expect(await clearResourceCaches(pool, unchecked)).toBe(0);
  expect(await clearResourceCaches(pool, r, { v: '1' })).toBe(2);
  expect(await clearResourceCaches(pool, r, { v: '1' })).toBe(0);
  expect(await findResourceCache(pool, 'r1', build)).toBeUndefined();
  expect(await clearResourceCaches(pool, r)).toBe(1);
  const { rows } = await pool.query('SELECT artifact_id FROM artifact_use WHERE build_id = $1', [build]);
  expect(rows).toEqual([{ artifact_id: 'r2' }]);
  for (const id of ['other-source', 'other-type']) expect(await findResourceCache(pool, id, build)).toBeDefined();
});

test('[DB-ART4] a task’s cache is of its job, step, path and worker; the last writer wins; it can be cleared', async () => {
  const buildId = await newBuild();
  for (const id of ['t1', 't2']) await recordArtifact(db.pool, { id, worker: 'w', stored: true });
  const key = { jobId: sample.jobs['j'] ?? 0, stepName: 'unit', path: 'cache', worker: 'w' };
  await saveTaskCache(db.pool, key, 't1');
  await saveTaskCache(db.pool, key, 't2');
  await saveTaskCache(db.pool, { ...key, jobId: 999 }, 't1'); // a job that is gone
  expect(await findTaskCache(db.pool, key, buildId)).toBe('t2');
  for (const other of [{ jobId: 999 }, { stepName: 'x' }, { path: 'y' }, { worker: 'v' }])
    expect(await findTaskCache(db.pool, { ...key, ...other }, buildId)).toBeUndefined();
  await saveTaskCache(db.pool, { ...key, path: 'more' }, 't1');
  expect(await clearTaskCaches(db.pool, key.jobId, 'unit', 'more')).toBe(1);
  expect(await clearTaskCaches(db.pool, key.jobId, 'unit')).toBe(1);
  expect(await findTaskCache(db.pool, key, buildId)).toBeUndefined();
});

test('[DB-ART5] a task’s caches go when its job has no such task any more', async () => {
  const { jobs } = await saveSample(db.pool, { name: 'tasks' }, { jobs: [sampleJob('j', { tasks: ['a', 'b'] })] });
  const buildId = await newBuild();
  await recordArtifact(db.pool, { id: 't5', worker: 'w', stored: true });
  const key = (stepName: string) => ({ jobId: jobs['j'] ?? 0, stepName, path: 'c', worker: 'w' });
  for (const step of ['a', 'b']) await saveTaskCache(db.pool, key(step), 't5');
  await saveSample(db.pool, { name: 'tasks' }, { jobs: [sampleJob('j', { tasks: ['b'] })] });
  expect(await findTaskCache(db.pool, key('a'), buildId)).toBeUndefined();
  expect(await findTaskCache(db.pool, key('b'), buildId)).toBe('t5');
});

test('[DB-ART6] the store may delete what nothing refers to, and not what a build, a cache or a user may still want', async () => {
  await using own = await createTestDatabase();
  const { teamId, jobs, pipelineId } = await saveSample(own.pool, { name: 'p' }, { jobs: [sampleJob('j')] });
  const ids = ['unwanted', 'cached', 'task', 'upload', 'used', 'image', 'elsewhere'];
  for (const id of ids) await recordArtifact(own.pool, { id, worker: id === 'elsewhere' ? 'w2' : 'w', stored: true });
  for (const id of ['cached', 'used', 'image'])
    await saveResourceCache(own.pool, { cacheId: id, artifactId: id, version: {}, metadata: [] }, OF);
  await saveTaskCache(own.pool, { jobId: jobs['j'] ?? 0, stepName: 's', path: 'p', worker: 'w' }, 'task');
  await createUploadedArtifact(own.pool, { teamId, name: 'in', artifactId: 'upload' });
  const { id: buildId } = await createJobBuild(own.pool, { jobId: jobs['j'] ?? 0 });
  await recordCacheUse(own.pool, 'used', buildId);
  await recordImageUse(own.pool, 'image', buildId);
  expect(await claimUnwantedArtifacts(own.pool, 'w', later)).toEqual([]); // about to be referred to, maybe
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual(['unwanted']);

  await forgetUnusedArtifacts(own.pool, later);
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual([]);
  await forgetUnusedArtifacts(own.pool, soon);
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual(['cached', 'upload']);

  await finishBuild(own.pool, buildId, 'succeeded');
  await markUninterceptible(own.pool, { oneOffMs: 0, failedMs: 0, hijackMs: 0, idleCheckMs: 0, copyMs: 0 });
  await forgetUnusedArtifacts(own.pool, soon);
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual(['used']);
  // An image stays until the job has succeeded again.
  const { id: next } = await createJobBuild(own.pool, { jobId: jobs['j'] ?? 0 });
  await finishBuild(own.pool, next, 'succeeded');
  await forgetUnusedArtifacts(own.pool, soon);
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual(['image']);
  await destroyPipeline(own.pool, pipelineId);
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual(['task']);
  expect(await findUnknownArtifacts(own.pool, 'w', ['task', 'foreign'])).toEqual(['foreign', 'task']);
  expect(await findUnknownArtifacts(own.pool, 'w2', ['elsewhere'])).toEqual([]);
});

test('[DB-ART6] what a build made is kept while the build runs, and as long as its sandbox is there', async () => {
  await using own = await createTestDatabase();
  const { teamId } = await saveSample(own.pool, { name: 'p' }, { jobs: [sampleJob('j')] });
  await using locks = new Locks(own.pool);
  const records = createRecords({ pool: own.pool, locks });
  const labels = { type: 'task', team: 'main', step: 's' } as const;
  const make = async (name: string) => {
    const { id: buildId } = await createOneOffBuild(own.pool, { teamId }, planned);
    const owner = { buildId, planId: '1' };
    await records.recordSandbox({ handle: name, worker: 'w', owner, labels, workingDirectory: '', user: '' });
    await recordArtifact(own.pool, { id: name, worker: 'w', sandbox: { handle: name, path: '/out' }, stored: true });
    return buildId;
  };
  const destroy = async (handle: string) => {
    await own.pool.query("UPDATE sandbox SET state = 'destroying' WHERE handle = $1", [handle]);
    await forgetSandbox(own.pool, handle);
  };
  const running = await make('of a running build');
  await finishBuild(own.pool, await make('of a sandbox'), 'succeeded');
  await destroy('of a running build');
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual([]);
  await destroy('of a sandbox');
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual(['of a sandbox']);
  await finishBuild(own.pool, running, 'failed');
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual(['of a running build']);
});

test('[DB-ART12] a copy on another worker is kept as long as its artifact', async () => {
  await using own = await createTestDatabase();
  const { teamId } = await saveSample(own.pool, { name: 'p' }, {});
  await recordArtifact(own.pool, { id: 'a', worker: 'w', stored: true });
  const { id } = await createUploadedArtifact(own.pool, { teamId, name: 'in', artifactId: 'a' });
  for (const worker of ['w3', 'w2', 'w2']) await recordArtifactCopy(own.pool, 'a', worker);
  await recordArtifactCopy(own.pool, 'gone', 'w2');
  expect((await findArtifact(own.pool, 'a'))?.copies).toEqual(['w2', 'w3']);
  expect(await claimUnwantedArtifacts(own.pool, 'w2', soon)).toEqual([]);
  expect(await findUnknownArtifacts(own.pool, 'w2', ['a', 'gone'])).toEqual(['gone']);
  await own.pool.query('DELETE FROM worker_artifact WHERE id = $1', [id]);
  expect(await claimUnwantedArtifacts(own.pool, 'w2', soon)).toEqual([]);
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual(['a']);
  expect(await claimUnwantedArtifacts(own.pool, 'w2', soon)).toEqual(['a']);
  expect(await claimUnwantedArtifacts(own.pool, 'w2', soon)).toEqual([]);
  expect(await findUnknownArtifacts(own.pool, 'w2', ['a'])).toEqual(['a']);
});

test('[DB-ART6] an upload that was never finished goes after its time', async () => {
  await using own = await createTestDatabase();
  await recordArtifact(own.pool, { id: 'half', worker: 'w', stored: false });
  expect(await claimUnwantedArtifacts(own.pool, 'w', later)).toEqual([]);
  expect(await claimUnwantedArtifacts(own.pool, 'w', soon)).toEqual(['half']);
});
