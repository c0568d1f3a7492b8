import { inTransaction, prepared, type Queryable } from '@seaplane/db';
import type { Resolution, ResolvableInput } from './history.ts';

export interface NextInputs {
  /** Every input has a version. True for a job without inputs. */
  readonly determined: boolean;
  /** A trigger input has a version that no build of the job has used under that name. */
  readonly triggers: boolean;
}

/** Saves the inputs that the next build of a job would get. Writes only rows that change. */
export async function saveNextInputs(
  db: Queryable,
  jobId: number,
  inputs: readonly ResolvableInput[],
  resolution: Resolution,
): Promise<NextInputs> {
  const given = inputs.map(({ name, resourceId, trigger }) => {
    const found = resolution.inputs.get(name);
    const resolved = found && 'digest' in found ? found : undefined;
    const error = found && 'error' in found ? found.error : undefined;
    return { name, resourceId, trigger, digest: resolved?.digest, error, passedBuilds: resolved?.passedBuilds ?? [] };
  });
  const pipes = [...new Set(given.flatMap(({ passedBuilds }) => passedBuilds))];
  const { rows } = await db.query<NextInputs>(prepared(SAVE_NEXT_INPUTS, [jobId, JSON.stringify(given), pipes]));
  return rows[0] ?? { determined: false, triggers: false }; // its pipeline was destroyed meanwhile
}

/**
 * $1: the job. $2: its inputs as JSON, each with the digest it got or with an error. $3: the upstream builds that vouch
 * for them. One statement, because the scheduler runs it at every look at every job, and most looks change nothing.
 *
 * All parts see the tables as they were before the statement. In the order in which they depend on each other:
 *
 * - given: $2 as rows. `first` tells whether no build of the job has used this version under this input's name.
 * - found: one row about all inputs: whether all have a version, whether any version is new, whether a new one
 *   triggers.
 * - kept: the job's row, locked against deletion, or no row if the job is gone. Rows that refer to the job are inserted
 *   from here, so a job that was destroyed meanwhile causes no error.
 * - dropped, saved: `next_build_input` gets the rows of `given`: others are deleted, missing ones inserted, changed
 *   ones updated.
 * - dropped_pipes, saved_pipes: the same for `next_build_pipe` and $3.
 * - shown: the flags on the job that the API and the slots read. It reads `kept` first: PostgreSQL runs these parts in
 *   any order, and a row that the same statement has changed can no longer be locked, so `kept` would be empty.
 *
 * The result is `found`, or no row if the job is gone.
 */
const SAVE_NEXT_INPUTS = `
  WITH given AS MATERIALIZED (
    SELECT name, trigger, digest, error, CASE WHEN digest IS NOT NULL THEN "resourceId" END AS resource_id,
      -- Not EXISTS: the planner may answer it by reading everything that the job has ever used.
      CASE WHEN digest IS NOT NULL THEN (
        SELECT used.build_id FROM build_input used
        WHERE used.job_id = $1 AND used.resource_id = "resourceId" AND used.version_digest = digest
          AND used.name = given.name LIMIT 1) IS NULL END AS first
    FROM jsonb_to_recordset($2) AS given(name text, "resourceId" int, trigger boolean, digest text, error text)
  ), found AS (
    SELECT coalesce(bool_and(digest IS NOT NULL), true) AS determined, coalesce(bool_or(first), false) AS new,
      coalesce(bool_or(first AND trigger), false) AS triggers
    FROM given
  ), kept AS MATERIALIZED (
    SELECT id FROM job WHERE id = $1 FOR KEY SHARE -- not destroyed from here on
  ), dropped AS (
    DELETE FROM next_build_input WHERE job_id = $1 AND input_name NOT IN (SELECT name FROM given)
  ), saved AS (
    INSERT INTO next_build_input AS next
      (job_id, input_name, resource_id, version_digest, first_occurrence, resolve_error)
    SELECT kept.id, name, resource_id, digest, first, error FROM kept, given
    ON CONFLICT (job_id, input_name) DO UPDATE
      SET (resource_id, version_digest, first_occurrence, resolve_error) =
        (excluded.resource_id, excluded.version_digest, excluded.first_occurrence, excluded.resolve_error)
      WHERE (next.resource_id, next.version_digest, next.first_occurrence, next.resolve_error) IS DISTINCT FROM
        (excluded.resource_id, excluded.version_digest, excluded.first_occurrence, excluded.resolve_error)
  ), dropped_pipes AS (
    DELETE FROM next_build_pipe WHERE to_job_id = $1 AND from_build_id <> ALL ($3::bigint[])
  ), saved_pipes AS (
    INSERT INTO next_build_pipe (to_job_id, from_build_id) SELECT id, unnest($3::bigint[]) FROM kept
    ON CONFLICT DO NOTHING
  ), shown AS (
    UPDATE job SET inputs_determined = determined, has_new_inputs = determined AND new FROM found, kept
    WHERE job.id = kept.id AND (inputs_determined, has_new_inputs) IS DISTINCT FROM (determined, determined AND new)
  )
  SELECT determined, determined AND triggers AS triggers FROM found WHERE EXISTS (SELECT FROM job WHERE id = $1)`;

export interface AdoptedInput {
  readonly name: string;
  readonly resourceId: number;
  readonly version: Readonly<Record<string, string>>;
}

/**
 * Gives a build the next inputs of its job, in place of those that an earlier look may have given it, and returns them.
 * Returns undefined if one of the versions has left its resource's history meanwhile.
 */
export async function adoptNextInputs(
  db: Queryable,
  jobId: number,
  buildId: number,
): Promise<AdoptedInput[] | undefined> {
  const { rows } = await db.query<AdoptedInput | { readonly version: null }>(
    prepared(ADOPT_NEXT_INPUTS, [jobId, buildId]),
  );
  const inputs = rows.filter((row): row is AdoptedInput => row.version !== null);
  return inputs.length === rows.length ? inputs : undefined;
}

/**
 * $1: the job. $2: the build. `wanted` are the job's next inputs with their versions; `found` tells whether all
 * versions are still in their resource's history. If so, the inputs and pipes of the build become those of the job
 * (`adopted`, `pipes`); inputs and pipes that an earlier look gave the build are deleted in any case. `shown` is the
 * flag that the API reads.
 */
const ADOPT_NEXT_INPUTS = `
  WITH wanted AS MATERIALIZED (
    SELECT input_name AS name, next.resource_id, next.version_digest, version.version, next.first_occurrence
    FROM next_build_input next
    LEFT JOIN resource ON resource.id = next.resource_id
    LEFT JOIN resource_version version
      ON version.scope_id = resource.scope_id AND version.digest = next.version_digest
    WHERE next.job_id = $1
  ), found AS (
    SELECT coalesce(bool_and(version IS NOT NULL), true) AS whole FROM wanted
  ), dropped AS (
    DELETE FROM build_input WHERE build_id = $2 AND name NOT IN (SELECT name FROM wanted)
  ), adopted AS (
    INSERT INTO build_input (build_id, name, resource_id, version_digest, version, first_occurrence, job_id)
    SELECT $2, name, resource_id, version_digest, version, first_occurrence, $1 FROM wanted, found WHERE whole
    ON CONFLICT (build_id, name) DO UPDATE SET (resource_id, version_digest, version, first_occurrence) =
      (excluded.resource_id, excluded.version_digest, excluded.version, excluded.first_occurrence)
  ), dropped_pipes AS (
    DELETE FROM build_pipe WHERE to_build_id = $2
      AND from_build_id NOT IN (SELECT from_build_id FROM next_build_pipe WHERE to_job_id = $1)
  ), pipes AS (
    INSERT INTO build_pipe (to_build_id, from_build_id)
    SELECT $2, from_build_id FROM next_build_pipe, found WHERE to_job_id = $1 AND whole
    ON CONFLICT DO NOTHING
  ), shown AS (
    UPDATE build SET inputs_ready = whole FROM found WHERE id = $2 AND inputs_ready IS DISTINCT FROM whole
  )
  SELECT name, resource_id AS "resourceId", version FROM wanted`;

/** Gives a rerun the inputs of the build it repeats. Returns undefined if one of the versions has gone. */
export function adoptInputsOf(db: Queryable, original: number, buildId: number): Promise<AdoptedInput[] | undefined> {
  return inTransaction(db, async (tx) => {
    const { rows: gone } = await tx.query(
      `SELECT FROM build_input input JOIN resource ON resource.id = input.resource_id
       WHERE input.build_id = $1 AND NOT EXISTS (
         SELECT FROM resource_version version
         WHERE version.scope_id = resource.scope_id AND version.digest = input.version_digest)`,
      [original],
    );
    if (gone.length > 0) return undefined;
    const { rows } = await tx.query<AdoptedInput>(
      `INSERT INTO build_input (build_id, name, resource_id, version_digest, version, first_occurrence, job_id)
       SELECT $2, name, resource_id, version_digest, version, false, job_id FROM build_input WHERE build_id = $1
       ON CONFLICT (build_id, name) DO UPDATE SET version = excluded.version
       RETURNING name, resource_id AS "resourceId", version`,
      [original, buildId],
    );
    await tx.query(
      `INSERT INTO build_pipe (to_build_id, from_build_id)
       SELECT $2, from_build_id FROM build_pipe WHERE to_build_id = $1 ON CONFLICT DO NOTHING`,
      [original, buildId],
    );
    await tx.query('UPDATE build SET inputs_ready = true WHERE id = $1', [buildId]);
    return rows;
  });
}
