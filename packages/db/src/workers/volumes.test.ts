import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOneOffBuild } from '../builds/create-started-build.ts';
import { type SavedSample, sampleJob, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { createUploadedArtifact, recordArtifact } from './artifacts.ts';
import { recordCacheUse, saveResourceCache, saveTaskCache } from './caches.ts';
import { listVolumes } from './volumes.ts';

let db: TestDatabase;
let ours: SavedSample;
let theirs: number;
beforeAll(async () => {
  db = await createTestDatabase();
  ours = await saveSample(db.pool, { name: 'p' }, { jobs: [sampleJob('j', { tasks: ['unit'] })] });
  const { rows } = await db.pool.query<{ id: number }>(
    "INSERT INTO team (name, auth) VALUES ('other', '{}') RETURNING id",
  );
  theirs = rows[0]?.id ?? 0;
});
afterAll(() => db[Symbol.asyncDispose]());

async function newBuild(teamId: number): Promise<number> {
  return (await createOneOffBuild(db.pool, { teamId }, { plan: { id: '1', do: [] }, publicPlan: {} })).id;
}

test('[DB-ART11] artifacts are listed as volumes of the team that made or got them', async () => {
  const { pool } = db;
  const [build, other] = [await newBuild(ours.teamId), await newBuild(theirs)];
  const record = async (id: string, buildId?: number, sandbox?: { handle: string; path: string }) => {
    await recordArtifact(pool, { id, worker: 'w', stored: !sandbox, ...(sandbox && { sandbox }) });
    await pool.query('UPDATE artifact SET build_id = $2 WHERE id = $1', [id, buildId]);
  };
  await record('1-output', build, { handle: 'h', path: '/out' });
  await record('2-image', other);
  await record('3-fetched', build);
  await record('4-cache', build);
  await record('5-upload');
  await record('6-other', other);
  await saveResourceCache(
    pool,
    { cacheId: 'image', artifactId: '2-image', version: { v: 'i' }, metadata: [] },
    { type: 'mock', source: {} },
  );
  await saveResourceCache(
    pool,
    { cacheId: 'fetched', artifactId: '3-fetched', version: { v: '1' }, metadata: [] },
    { type: 'own', source: {}, imageCacheId: 'image' },
  );
  await saveTaskCache(pool, { jobId: ours.jobs['j'] ?? 0, stepName: 'unit', path: 'c', worker: 'w' }, '4-cache');
  await createUploadedArtifact(pool, { teamId: ours.teamId, name: 'in', artifactId: '5-upload' });

  const fetched = { type: 'resource', version: { v: '1' }, of: { version: { v: 'i' }, of: { base: 'mock' } } };
  const expected = [
    { id: '1-output', type: 'container', containerHandle: 'h', path: '/out' },
    { id: '3-fetched', ...fetched },
    { id: '4-cache', type: 'task-cache', pipelineName: 'p', jobName: 'j', stepName: 'unit' },
    { id: '5-upload', type: 'artifact' },
  ];
  expect(await listVolumes(pool, ours.teamId)).toMatchObject(expected);
  expect((await listVolumes(pool, theirs)).map(({ id }) => id)).toEqual(['2-image', '6-other']);
  await recordCacheUse(pool, 'image', build);
  expect((await listVolumes(pool, ours.teamId)).map(({ id }) => id)).toContain('2-image');
});
