import { createJobBuild, finishBuild } from '@seaplane/db';
import { createTestDatabase, sampleJob, sampleResource, saveSample } from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import { expect, test } from 'vitest';
import { scheduleJob } from './schedule-job.ts';
import { StoredPipelines } from './stored-pipelines.ts';
import { mostRowsOf } from './testing/most-rows.ts';
import { saveVersions } from './testing/save-versions.ts';

const PAST = 3_000;
const trigger = { name: 'repo', resource: 'repo', passed: [] as string[], trigger: true };

test('[SCHED14] the cost of a look at a job, and of the end of a build, does not grow with their past', async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const kinds = {
    unit: trigger,
    ship: { ...trigger, passed: ['unit'] },
    every: { ...trigger, version: 'every' },
    followed: { ...trigger, passed: ['unit'], version: 'every' },
  };
  const jobs = Object.entries(kinds).map(([name, input]) => sampleJob(name, { inputs: [input] }));
  const saved = await saveSample(pool, { name: 'p' }, { jobs, resources: [sampleResource('repo')] });
  const repo = saved.resources['repo'] ?? 0;
  await saveVersions(pool, repo, ['0']);
  await pool.query(
    `INSERT INTO resource_version (scope_id, version, check_order)
     SELECT scope_id, jsonb_build_object('v', n::text), n + 1 FROM resource, generate_series(1, $2) n WHERE id = $1`,
    [repo, PAST],
  );
  await pool.query(
    `INSERT INTO build (name, team_id, pipeline_id, job_id, status, started_at, ended_at, interceptible)
     SELECT n::text, $1, $2, job.id, 'succeeded', now(), now(), false
     FROM job, generate_series(1, $3) n WHERE pipeline_id = $2`,
    [saved.teamId, saved.pipelineId, PAST],
  );
  await pool.query(
    `INSERT INTO build_input (build_id, name, resource_id, version_digest, version, first_occurrence, job_id)
     SELECT b.id, 'repo', $1, digest, version, true, b.job_id
     FROM build b JOIN resource_version v ON v.version->>'v' = b.name`,
    [repo],
  );
  await pool.query(
    `INSERT INTO successful_build_output (build_id, job_id, outputs)
     SELECT build_id, job_id, jsonb_build_object(resource_id::text, jsonb_build_array(version_digest)) FROM build_input`,
  );
  await pool.query(
    `INSERT INTO build_pipe (to_build_id, from_build_id)
     SELECT own.id, passed.id FROM build own
     JOIN job_input_passed input ON input.job_id = own.job_id
     JOIN build passed ON passed.job_id = input.passed_job_id AND passed.name = own.name`,
  );
  await pool.query('UPDATE job SET build_counter = $1', [PAST]);
  await pool.query(
    `INSERT INTO resource_version (scope_id, version, check_order)
     SELECT scope_id, '{"v": "new"}', $2 FROM resource WHERE id = $1`,
    [repo, PAST + 2],
  );
  // Most histories are short: what holds for them does not hold for this one.
  await pool.query(
    `WITH config AS (
       INSERT INTO resource_config (parent, source_digest) SELECT 'base:other', n::text FROM generate_series(1, 300) n
       RETURNING id
     ), scope AS (
       INSERT INTO resource_scope (resource_config_id) SELECT id FROM config RETURNING id
     )
     INSERT INTO resource_version (scope_id, version, check_order) SELECT id, '{"v": "1"}', 1 FROM scope`,
  );
  await pool.query('ANALYZE');

  const clock = manualClock();
  const storedPipelines = new StoredPipelines();
  const costs: Record<string, number> = {};
  for (const name of Object.keys(kinds)) {
    const jobId = saved.jobs[name] ?? 0;
    costs[name] = await mostRowsOf(pool, (db) => scheduleJob({ db, clock, storedPipelines }, jobId));
    const { id } = await createJobBuild(pool, { jobId });
    costs[`end of ${name}`] = await mostRowsOf(pool, (db) => finishBuild(db, id, 'succeeded'));
  }
  for (const [what, rows] of Object.entries(costs)) expect(rows, what).toBeLessThan(PAST / 10);
});
