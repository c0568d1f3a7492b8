import type { Version } from '@seaplane/config';
import type { BuildInfo } from '@seaplane/engine';
import { resourcesContract } from '@seaplane/engine/testing';
import { createJobBuild } from '../builds/create-job-build.ts';
import { Locks } from '../locks/locks.ts';
import { sampleJob, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { createResources } from './create-resources.ts';

resourcesContract('the database', async () => {
  const database = await createTestDatabase();
  const { pool } = database;
  const locks = new Locks(pool);
  const jobOf = new Map<number, number>();
  let pipelines = 0;

  async function newBuild(jobId: number, teamId: number, pipelineId: number): Promise<BuildInfo> {
    const { id, name } = await createJobBuild(pool, { jobId });
    jobOf.set(id, jobId);
    return { id, name, teamId, teamName: 'main', pipelineId, externalUrl: 'http://test' };
  }

  return {
    resources: createResources({ pool, locks }),
    newResource: async () => {
      const parts = { jobs: [sampleJob('j')], resources: [sampleResource('r', { config: { name: 'r', source: {} } })] };
      const { teamId, pipelineId, jobs } = await saveSample(pool, { name: `p${++pipelines}` }, parts);
      return { name: 'r', build: await newBuild(jobs['j'] ?? 0, teamId, pipelineId) };
    },
    laterBuild: ({ id, teamId, pipelineId = 0 }) => newBuild(jobOf.get(id) ?? 0, teamId, pipelineId),
    outputs: async ({ id }) => {
      const { rows } = await pool.query<{ name: string; version: Version }>(
        'SELECT name, version FROM build_output WHERE build_id = $1 ORDER BY name',
        [id],
      );
      return rows;
    },
    async [Symbol.asyncDispose]() {
      await locks.close();
      await database[Symbol.asyncDispose]();
    },
  };
});
