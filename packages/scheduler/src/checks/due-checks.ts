import { prepared, type Queryable } from '@seaplane/db';

export interface DueChecks {
  /** Ids of resources whose check is due now and does not run yet, those that have waited longest first. */
  readonly due: readonly number[];
  /** How long until the next resource is due. Undefined if none will be. */
  readonly nextInMs?: number;
}

/**
 * Finds the resources that are due for a check, and when to look again, both as of one moment: no resource falls due
 * unseen in between. At most `limit` resources are returned. A resource whose check runs is not due; the end of that check decides when it will be.
 *
 * A resource is due at its scope's `next_check_at`. `recordCheckEnd` in packages/db/src/resources/last-check.ts sets
 * that time; `mustRun` there decides once more, under the scope's lock, whether the check has to run.
 */
export async function dueChecks(db: Queryable, limit: number): Promise<DueChecks> {
  const { rows } = await db.query<{ due: number[]; ms: number | null }>(prepared(DUE_CHECKS, [limit]));
  const { due = [], ms = null } = rows[0] ?? {};
  return ms === null ? { due } : { due, nextInMs: ms };
}

/**
 * Resources that are checked by themselves (docs/concourse/semantics.md, section 3) are in pipelines that are not
 * paused: those a job triggers on, those whose last check failed, and those a job gets whose history is empty or lacks
 * the version they are pinned to. A resource with `check_every: never` is never due.
 */
const MAY_BE_CHECKED = `resource.active AND NOT pipeline.paused AND NOT pipeline.archived
  AND resource.check_every IS DISTINCT FROM 'never'`;

/** Whether a job gets the resource so. Not EXISTS, which the server may answer by reading the inputs of all resources first. */
const isInput = (how: string) => `coalesce((
        SELECT true FROM job_input input JOIN job ON job.id = input.job_id AND job.active
        WHERE input.resource_id = resource.id ${how} LIMIT 1), false)`;

const TRIGGERS_ITSELF = `AND input.trigger AND NOT EXISTS (
          SELECT FROM job_input_passed passed
          WHERE passed.job_id = input.job_id AND passed.input_name = input.name)`;

/** Resources that have a history and are checked by themselves. The condition on the history's time follows. */
const WITH_HISTORY = `
  FROM resource_scope scope
  JOIN resource ON resource.scope_id = scope.id
  JOIN pipeline ON pipeline.id = resource.pipeline_id
  LEFT JOIN resource_pin pin ON pin.resource_id = resource.id
  WHERE ${MAY_BE_CHECKED}
    AND (
      NOT scope.last_check_succeeded
      OR ${isInput(TRIGGERS_ITSELF)}
      OR NOT EXISTS (
        SELECT FROM resource_version version
        WHERE version.scope_id = scope.id AND (pin.version IS NULL OR version.version @> pin.version))
        AND ${isInput('')})`;

/** If a check of the present configuration ended before it reached a history, the next is due a minute later. */
const AFTER_LAST_ATTEMPT = `coalesce(
  (SELECT max(build.created_at) + interval '1 minute' FROM build
   WHERE build.resource_id = resource.id AND build.created_at >= pipeline.updated_at),
  '-infinity')`;

/** Each part reads an index (of `next_check_at`, or of resources without a history), so resources that wait cost nothing. */
const DUE_CHECKS = `
  WITH unchecked AS MATERIALIZED (
    SELECT resource.id, ${AFTER_LAST_ATTEMPT} AS due_at
    FROM resource JOIN pipeline ON pipeline.id = resource.pipeline_id
    WHERE resource.scope_id IS NULL AND ${MAY_BE_CHECKED}
    UNION ALL
    SELECT resource.id, ${AFTER_LAST_ATTEMPT} ${WITH_HISTORY} AND scope.next_check_at IS NULL
  ), due AS (
    SELECT id, due_at FROM unchecked WHERE due_at <= now()
    UNION ALL
    SELECT resource.id, scope.next_check_at ${WITH_HISTORY} AND scope.next_check_at <= now()
  ), next AS (
    SELECT least(
      (SELECT min(due_at) FROM unchecked WHERE due_at > now()),
      (SELECT scope.next_check_at ${WITH_HISTORY} AND scope.next_check_at > now() AND scope.next_check_at < 'infinity'
       ORDER BY scope.next_check_at LIMIT 1)) AS due_at
  )
  SELECT ARRAY(
      SELECT id FROM due
      WHERE id NOT IN (SELECT resource_id FROM build WHERE status = 'started' AND NOT aborted AND resource_id IS NOT NULL)
      ORDER BY due_at, id LIMIT $1) AS due,
    -- Not within greatest(0, ...), which takes null for 0.
    (SELECT (extract(epoch FROM due_at - now()) * 1000)::float FROM next) AS ms`;

/** How many resources may be checked by themselves. */
export async function countCheckables(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*) AS count FROM resource JOIN pipeline ON pipeline.id = resource.pipeline_id WHERE ${MAY_BE_CHECKED}`,
  );
  return rows[0]?.count ?? 0;
}
