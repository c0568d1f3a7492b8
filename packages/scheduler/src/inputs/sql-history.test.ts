import { createTestDatabase, sampleJob, sampleResource, saveSample } from '@seaplane/db/testing';
import { historyContract } from '../testing/history-contract.ts';
import { saveVersions } from '../testing/save-versions.ts';
import { sqlHistory } from './sql-history.ts';

const NAMES = Array.from({ length: 20 }, (_, n) => `n${n}`);

historyContract('the history in the database', async () => {
  const database = await createTestDatabase();
  const { pool } = database;
  const { teamId, pipelineId, jobs, resources } = await saveSample(
    pool,
    { name: 'p' },
    { jobs: NAMES.map((name) => sampleJob(name)), resources: NAMES.map((name) => sampleResource(name)) },
  );
  const freeJobs = Object.values(jobs);
  const freeResources = Object.values(resources);
  let builds = 0;

  async function digest(version: string): Promise<string> {
    const { rows } = await pool.query<{ digest: string }>(
      "SELECT json_digest(jsonb_build_object('v', $1::text)) AS digest",
      [version],
    );
    return rows[0]?.digest ?? '';
  }

  async function newBuild(jobId: number, rerunOf?: number): Promise<number> {
    const { rows } = await pool.query<{ id: number }>(
      `INSERT INTO build (name, team_id, pipeline_id, job_id, status, rerun_of)
       VALUES ($1, $2, $3, $4, 'succeeded', $5) RETURNING id`,
      [String(++builds), teamId, pipelineId, jobId, rerunOf],
    );
    return rows[0]?.id ?? 0;
  }

  return {
    history: sqlHistory(pool),
    newResource: async () => freeResources.pop() ?? 0,
    newJob: async () => freeJobs.pop() ?? 0,
    addVersions: (resourceId, versions) => saveVersions(pool, resourceId, versions),
    disable: async (resourceId, version) => {
      await pool.query('INSERT INTO resource_disabled_version (resource_id, version_digest) VALUES ($1, $2)', [
        resourceId,
        await digest(version),
      ]);
    },
    addBuild: async (jobId, outputs, rerunOf) => {
      const id = await newBuild(jobId, rerunOf);
      const digests = Object.entries(outputs).map(async ([resourceId, versions]) => [
        resourceId,
        await Promise.all(versions.map(digest)),
      ]);
      await pool.query(
        'INSERT INTO successful_build_output (build_id, job_id, rerun_of, outputs) VALUES ($1, $2, $3, $4)',
        [id, jobId, rerunOf, JSON.stringify(Object.fromEntries(await Promise.all(digests)))],
      );
      return id;
    },
    addUse: async (jobId, { resourceId, version, fromBuild }) => {
      const id = await newBuild(jobId);
      await pool.query(
        `INSERT INTO build_input (build_id, name, resource_id, version_digest, version, first_occurrence, job_id)
         VALUES ($1, 'input', $2, $3, $4, true, $5)`,
        [id, resourceId, await digest(version), JSON.stringify({ v: version }), jobId],
      );
      if (fromBuild) {
        await pool.query('INSERT INTO build_pipe (to_build_id, from_build_id) VALUES ($1, $2)', [id, fromBuild]);
      }
    },
    digest,
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
});
