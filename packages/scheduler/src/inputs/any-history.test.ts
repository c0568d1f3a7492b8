import { createTestDatabase, sampleJob, sampleResource, saveSample } from '@seaplane/db/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resolvePlainly } from '../testing/plain-resolver.ts';
import { OWN_JOB, type RandomPast, RESOURCES, randomPast } from '../testing/random-past.ts';
import { saveVersions } from '../testing/save-versions.ts';
import { resolveInputs } from './resolve-inputs.ts';
import { sqlHistory } from './sql-history.ts';

/** More find rarer mistakes; README.md has the command. The database is asked about one history in fifty. */
const HISTORIES = Number(process.env['SEAPLANE_HISTORIES'] ?? 2_000);
/** Far more than a history takes, so that only a test that hangs is ended. */
const PATIENCE = { timeout: 60_000 + HISTORIES * 30 };

test('[IN14] the resolver finds what a plain search through all builds finds', PATIENCE, async () => {
  await fc.assert(
    fc.asyncProperty(randomPast, async ({ history, inputs }) => {
      const { inputs: found } = await resolveInputs(history, OWN_JOB, inputs);
      expect(found).toEqual(resolvePlainly(history, OWN_JOB, inputs));
    }),
    { numRuns: HISTORIES },
  );
});

test('[IN14] and finds the same in the database', PATIENCE, async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const names = ['own', 'a', 'b', 'c'];
  const { teamId, pipelineId, jobs, resources } = await saveSample(
    pool,
    { name: 'p' },
    { jobs: names.map((name) => sampleJob(name)), resources: ['r1', 'r2'].map((name) => sampleResource(name)) },
  );
  const jobId = (job: number) => jobs[names[job - 1] ?? ''] ?? 0;
  const resourceId = (resource: number) => resources[`r${resource}`] ?? 0;
  const digestOf = async (v: string) =>
    (await pool.query<{ digest: string }>("SELECT json_digest(jsonb_build_object('v', $1::text)) AS digest", [v]))
      .rows[0]?.digest ?? '';
  const digests = new Map(
    await Promise.all(['v1', 'v2', 'v3', 'v4', 'v5'].map(async (v) => [v, await digestOf(v)] as const)),
  );

  /** Returns the ids of the builds, by their ids in memory. */
  async function fill({ history, disabled }: RandomPast): Promise<Map<number, number>> {
    await pool.query('DELETE FROM build');
    await pool.query('DELETE FROM resource_disabled_version');
    await pool.query('UPDATE resource SET scope_id = NULL');
    await pool.query('DELETE FROM resource_scope');
    for (const id of RESOURCES) await saveVersions(pool, resourceId(id), history.versions[id] ?? []);
    for (const [id, v] of disabled) {
      await pool.query('INSERT INTO resource_disabled_version VALUES ($1, $2)', [resourceId(id), digests.get(v)]);
    }
    const ids = new Map<number, number>();
    let names = 0;
    const newBuild = async (job: number, rerunOf: number | undefined) => {
      const { rows } = await pool.query<{ id: number }>(
        `INSERT INTO build (name, team_id, pipeline_id, job_id, status, rerun_of)
         VALUES ($1, $2, $3, $4, 'succeeded', $5) RETURNING id`,
        [String(++names), teamId, pipelineId, jobId(job), rerunOf],
      );
      return rows[0]?.id ?? 0;
    };
    for (const { id, job, rerunOf, outputs } of history.builds) {
      const original = rerunOf === undefined ? undefined : ids.get(rerunOf);
      const saved = await newBuild(job, original);
      ids.set(id, saved);
      const vouched = Object.entries(outputs).map(([key, list]) => [
        resourceId(Number(key)),
        list.map((v: string) => digests.get(v)),
      ]);
      await pool.query(
        'INSERT INTO successful_build_output (build_id, job_id, rerun_of, outputs) VALUES ($1, $2, $3, $4)',
        [saved, jobId(job), original, JSON.stringify(Object.fromEntries(vouched))],
      );
    }
    for (const { versions, from } of history.uses) {
      const saved = await newBuild(OWN_JOB, undefined);
      for (const [key, v] of Object.entries(versions)) {
        await pool.query(
          `INSERT INTO build_input (build_id, name, resource_id, version_digest, version, first_occurrence, job_id)
           VALUES ($1, $2, $3, $4, $5, true, $6)`,
          [saved, key, resourceId(Number(key)), digests.get(v), JSON.stringify({ v }), jobId(OWN_JOB)],
        );
      }
      for (const id of new Set(from)) {
        await pool.query('INSERT INTO build_pipe (to_build_id, from_build_id) VALUES ($1, $2)', [saved, ids.get(id)]);
      }
    }
    return ids;
  }

  await fc.assert(
    fc.asyncProperty(randomPast, async (past) => {
      const ids = await fill(past);
      const inputs = past.inputs.map((input) => ({
        ...input,
        resourceId: resourceId(input.resourceId),
        passed: input.passed.map(jobId),
      }));
      const { inputs: found } = await resolveInputs(sqlHistory(pool), jobId(OWN_JOB), inputs);
      const plain = [...resolvePlainly(past.history, OWN_JOB, past.inputs)].map(([name, got]) => {
        if ('error' in got) return [name, got] as const;
        const passedBuilds = got.passedBuilds.map((id) => ids.get(id));
        return [name, { digest: digests.get(got.digest), passedBuilds }] as const;
      });
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(plain));
    }),
    { numRuns: Math.ceil(HISTORIES / 50) },
  );
});
