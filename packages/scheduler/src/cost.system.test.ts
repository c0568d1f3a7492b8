import { createJobBuild, finishBuild } from '@seaplane/db';
import { createTestDatabase, sampleJob, sampleResource, saveSample, type TestDatabase } from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import { expect, test } from 'vitest';
import type { ResolvableInput } from './inputs/history.ts';
import { resolveInputs } from './inputs/resolve-inputs.ts';
import { sqlHistory } from './inputs/sql-history.ts';
import { scheduleJob } from './schedule-job.ts';
import { StoredPipelines } from './stored-pipelines.ts';
import { mostRowsOf } from './testing/most-rows.ts';
import { saveVersions } from './testing/save-versions.ts';

const PAST = 3_000;
const trigger = { name: 'repo', resource: 'repo', passed: [] as string[], trigger: true, version: 'latest' };

/** Jobs that have all succeeded with the same versions, PAST of them. */
async function fill(pool: TestDatabase['pool'], kinds: Readonly<Record<string, typeof trigger>>) {
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
  return saved;
}

test('[SCHED14] the cost of a look at a job, and of the end of a build, does not grow with their past', async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const kinds = {
    unit: trigger,
    ship: { ...trigger, passed: ['unit'] },
    every: { ...trigger, version: 'every' },
    followed: { ...trigger, passed: ['unit'], version: 'every' },
  };
  const saved = await fill(pool, kinds);
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

test('[IN15] the cost of inputs that are hard to find does not grow with the past', async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const kinds = {
    unit: trigger,
    behind: { ...trigger, passed: ['unit'], version: 'every' },
    rare: trigger,
    never: trigger,
  };
  const { jobs, resources } = await fill(pool, kinds);
  await pool.query(
    `DELETE FROM build WHERE job_id = $1 OR job_id = $2 AND name <> '1' OR job_id = $3 AND name::int > 100`,
    [jobs['never'], jobs['rare'], jobs['behind']],
  );
  await pool.query('VACUUM ANALYZE'); // as the server does by itself: new entries of an index are sorted in
  const passed = (...names: string[]) => names.map((name) => jobs[name] ?? 0);
  const pin = (v: string) => ({ kind: 'pinned', fields: { v } }) as const;
  const latest = { kind: 'latest' } as const;
  const cases: Record<string, Pick<ResolvableInput, 'passed' | 'wanted'> & { found: string | undefined }> = {
    'pin on the oldest': { passed: [], wanted: pin('1'), found: '1' },
    'pin on none': { passed: [], wanted: pin('gone'), found: undefined },
    'pin in the middle, passed': { passed: passed('unit'), wanted: pin('1500'), found: '1500' },
    'every far behind': { passed: [], wanted: { kind: 'every' }, found: '101' },
    'every far behind, passed': { passed: passed('unit'), wanted: { kind: 'every' }, found: '101' },
    'passed a job without success': { passed: passed('unit', 'never'), wanted: latest, found: undefined },
    'passed a job with one old success': { passed: passed('unit', 'rare'), wanted: latest, found: '1' },
  };
  for (const [what, { found, ...wanted }] of Object.entries(cases)) {
    let [queries, digest] = [0, undefined as string | undefined];
    const rows = await mostRowsOf(pool, async (db) => {
      const counting = new Proxy(db, {
        get: (target, key) => {
          if (key === 'query') queries++;
          return Reflect.get(target, key);
        },
      });
      const input = { ...wanted, name: 'i', trigger: true, resourceId: resources['repo'] ?? 0 };
      const { inputs } = await resolveInputs(sqlHistory(counting), jobs['behind'] ?? 0, [input]);
      const got = inputs.get('i');
      if (got && 'digest' in got) digest = got.digest;
    });
    const { rows: versions } = await pool.query("SELECT digest FROM resource_version WHERE version->>'v' = $1", [
      found,
    ]);
    expect(digest, what).toBe(versions[0]?.digest);
    // The others read a bounded number of pages, which are much of so short a past.
    if (/pin|without/.test(what)) expect(rows, `rows: ${what}`).toBeLessThan(PAST / 10);
    expect(queries, `queries: ${what}`).toBeLessThan(100);
  }
});
