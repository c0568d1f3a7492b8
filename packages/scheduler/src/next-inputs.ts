import { inTransaction, type Queryable } from '@seaplane/db';
import type { JobInput, Resolution } from './history.ts';

export interface NextInputs {
  /** Every input has a version. */
  readonly determined: boolean;
  /** A trigger input has a version that no build of the job has used under that name. */
  readonly triggers: boolean;
}

/** Writes down what the next build of a job would get, and says what follows from it. */
export function saveNextInputs(
  db: Queryable,
  jobId: number,
  inputs: readonly JobInput[],
  resolution: Resolution,
): Promise<NextInputs> {
  const rows = inputs.map(({ name, resourceId, trigger }) => {
    const found = resolution.inputs.get(name);
    const resolved = found && 'digest' in found ? found : undefined;
    const error = found && 'error' in found ? found.error : undefined;
    return { name, resourceId, trigger, digest: resolved?.digest, error, passedBuilds: resolved?.passedBuilds ?? [] };
  });
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query('SELECT FROM job WHERE id = $1 FOR KEY SHARE', [jobId]);
    if (rowCount === 0) return { determined: false, triggers: false }; // its pipeline was destroyed meanwhile
    await tx.query('DELETE FROM next_build_input WHERE job_id = $1', [jobId]);
    await tx.query('DELETE FROM next_build_pipe WHERE to_job_id = $1', [jobId]);
    const saved = await tx.query<{ name: string; firstOccurrence: boolean | null }>(
      `INSERT INTO next_build_input (job_id, input_name, resource_id, version_digest, first_occurrence, resolve_error)
       SELECT $1, given.name, CASE WHEN given.digest IS NOT NULL THEN given."resourceId" END, given.digest,
         CASE WHEN given.digest IS NOT NULL THEN NOT EXISTS (
           SELECT FROM build_input used
           WHERE used.job_id = $1 AND used.resource_id = given."resourceId"
             AND used.version_digest = given.digest AND used.name = given.name) END,
         given.error
       FROM jsonb_to_recordset($2) AS given(name text, "resourceId" int, digest text, error text)
       RETURNING input_name AS name, first_occurrence AS "firstOccurrence"`,
      [jobId, JSON.stringify(rows)],
    );
    const pipes = [...new Set(rows.flatMap(({ passedBuilds }) => passedBuilds))];
    await tx.query('INSERT INTO next_build_pipe (to_job_id, from_build_id) SELECT $1, unnest($2::bigint[])', [
      jobId,
      pipes,
    ]);

    const determined = rows.every(({ digest }) => digest !== undefined);
    const first = new Set(saved.rows.filter(({ firstOccurrence }) => firstOccurrence).map(({ name }) => name));
    await tx.query('UPDATE job SET inputs_determined = $2, has_new_inputs = $3 WHERE id = $1', [
      jobId,
      determined,
      determined && first.size > 0,
    ]);
    return { determined, triggers: determined && rows.some(({ name, trigger }) => trigger && first.has(name)) };
  });
}

export interface AdoptedInput {
  readonly name: string;
  readonly resourceId: number;
  readonly version: Readonly<Record<string, string>>;
}

/**
 * Gives a build the next inputs of its job, and returns them. Undefined when one of the versions has gone from its
 * resource's history meanwhile.
 */
export function adoptNextInputs(db: Queryable, jobId: number, buildId: number): Promise<AdoptedInput[] | undefined> {
  return inTransaction(db, async (tx) => {
    const { rows: wanted } = await tx.query('SELECT FROM next_build_input WHERE job_id = $1', [jobId]);
    const { rows } = await tx.query<AdoptedInput>(
      `INSERT INTO build_input (build_id, name, resource_id, version_digest, version, first_occurrence, job_id)
       SELECT $2, input_name, next.resource_id, next.version_digest, version.version, next.first_occurrence, $1
       FROM next_build_input next
       JOIN resource ON resource.id = next.resource_id
       JOIN resource_version version ON version.scope_id = resource.scope_id AND version.digest = next.version_digest
       WHERE next.job_id = $1
       RETURNING name, resource_id AS "resourceId", version`,
      [jobId, buildId],
    );
    if (rows.length < wanted.length) {
      await tx.query('DELETE FROM build_input WHERE build_id = $1', [buildId]);
      return undefined;
    }
    await tx.query(
      `INSERT INTO build_pipe (to_build_id, from_build_id)
       SELECT $2, from_build_id FROM next_build_pipe WHERE to_job_id = $1`,
      [jobId, buildId],
    );
    await tx.query('UPDATE build SET inputs_ready = true WHERE id = $1', [buildId]);
    return rows;
  });
}

/** Gives a rerun the inputs of the build it repeats. Undefined when one of the versions has gone. */
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
