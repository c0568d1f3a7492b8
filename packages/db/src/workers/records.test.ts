import { recordsContract } from '@seaplane/orchestrator/testing';
import { createJobBuild } from '../builds/create-job-build.ts';
import { finishBuild } from '../builds/finish-build.ts';
import { createJournal } from '../journal/journal.ts';
import { Locks } from '../locks/locks.ts';
import { sampleJob, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createUploadedArtifact, listBuildArtifacts } from './artifacts.ts';
import { recordHijack } from './record-sandbox.ts';
import { createRecords } from './records.ts';

recordsContract('the database', async () => {
  const database = await createTestDatabase();
  const { pool } = database;
  const locks = new Locks(pool);
  const { teamId, jobs } = await saveSample(pool, { name: 'p' }, { jobs: [sampleJob('j')] });
  const jobId = jobs['j'] ?? 0;
  return {
    records: createRecords({ pool, locks }),
    teamId,
    jobId,
    newBuild: async () => (await createJobBuild(pool, { jobId })).id,
    takePen: (buildId) => createJournal(pool, buildId).pen(),
    endBuild: async (buildId) => void (await finishBuild(pool, buildId, 'succeeded')),
    enter: (handle) => recordHijack(pool, handle),
    endStep: async (buildId, exitStatus, planId = '1') =>
      void (await createJournal(pool, buildId).record(
        { planId, what: 'result' },
        { end: 'done', done: { exitStatus } },
      )),
    numberUpload: async (artifactId) => (await createUploadedArtifact(pool, { teamId, name: 'in', artifactId })).id,
    published: async (buildId) =>
      (await listBuildArtifacts(pool, buildId))
        .map(({ name, artifactId }) => ({ name, artifactId }))
        .sort((a, b) => a.name.localeCompare(b.name)),
    cacheUses: async (buildId) => {
      const { rows } = await pool.query<{ cacheId: string; image: boolean }>(
        'SELECT cache_id AS "cacheId", image FROM resource_cache_use WHERE build_id = $1 ORDER BY cache_id',
        [buildId],
      );
      return rows;
    },
    artifactUses: async (buildId) => {
      const { rows } = await pool.query<{ id: string }>(
        'SELECT artifact_id AS id FROM artifact_use WHERE build_id = $1 ORDER BY artifact_id',
        [buildId],
      );
      return rows.map(({ id }) => id);
    },
    async [Symbol.asyncDispose]() {
      await locks.close();
      await database[Symbol.asyncDispose]();
    },
  };
});
