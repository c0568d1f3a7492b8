import type { Queryable } from '@seaplane/db';

/**
 * Resources that are checked by themselves (semantics 3), in pipelines that are not paused: those a job triggers on, and
 * those whose history is empty, failed at the last check, or lacks the version they are pinned to. `check_every: never`
 * is never.
 */
const CHECKED_PERIODICALLY = `
  FROM resource
  JOIN pipeline ON pipeline.id = resource.pipeline_id
  LEFT JOIN resource_scope scope ON scope.id = resource.scope_id
  LEFT JOIN resource_pin pin ON pin.resource_id = resource.id
  WHERE resource.active AND NOT pipeline.paused AND NOT pipeline.archived
    AND resource.config->>'check_every' IS DISTINCT FROM 'never'
    AND (
      scope.id IS NULL
      OR NOT scope.last_check_succeeded
      OR EXISTS (
        SELECT FROM job_input input JOIN job ON job.id = input.job_id AND job.active
        WHERE input.resource_id = resource.id AND input.trigger AND NOT EXISTS (
          SELECT FROM job_input_passed passed
          WHERE passed.job_id = input.job_id AND passed.input_name = input.name))
      OR NOT EXISTS (
        SELECT FROM resource_version version
        WHERE version.scope_id = scope.id AND (pin.version IS NULL OR version.version @> pin.version)))`;

/** The resources whose check is due now, and does not run. */
export async function dueResources(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `SELECT resource.id ${CHECKED_PERIODICALLY}
       AND CASE
         WHEN scope.next_check_at IS NOT NULL THEN scope.next_check_at <= now()
         -- It has no history to tell by: its last check has not come so far.
         ELSE NOT EXISTS (
           SELECT FROM build WHERE build.resource_id = resource.id AND build.created_at > now() - interval '1 minute')
       END
       AND NOT EXISTS (SELECT FROM build WHERE build.resource_id = resource.id AND build.status = 'started')
     ORDER BY scope.next_check_at NULLS FIRST, resource.id`,
  );
  return rows.map(({ id }) => id);
}

/** How long until the next check is due; undefined when none will be. */
export async function millisecondsToNextCheck(db: Queryable): Promise<number | undefined> {
  const { rows } = await db.query<{ ms: number | null }>(
    // Not under greatest(0, ...), which takes null for 0: it would ask for a look at once, over and over.
    `SELECT (extract(epoch FROM min(scope.next_check_at) - now()) * 1000)::float AS ms
     ${CHECKED_PERIODICALLY} AND scope.next_check_at > now() AND scope.next_check_at < 'infinity'`,
  );
  return rows[0]?.ms ?? undefined;
}
