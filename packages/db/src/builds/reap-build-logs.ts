import type { Queryable } from '../queryable.ts';

/** An operator's limits. 0: none. */
export interface LogRetentionLimits {
  /** For jobs that do not say. */
  readonly defaultBuilds: number;
  readonly defaultDays: number;
  /** For all jobs, over what they say. */
  readonly maxBuilds: number;
  readonly maxDays: number;
}

const NO_LIMITS: LogRetentionLimits = { defaultBuilds: 0, defaultDays: 0, maxBuilds: 0, maxDays: 0 };

/**
 * Deletes the events of builds whose log their job does not retain (`build_log_retention`, docs/concourse/semantics.md
 * section 11). The builds themselves are kept. Jobs that are paused, or whose pipeline is, keep all logs.
 *
 * A job's ended builds are counted from the newest. `minimum_succeeded_builds` reserves places among the `builds` for
 * succeeded builds; the newest others get the remaining places. A build without a place is retained for `days` after
 * its end. The limits of the operator replace what a job does not say, and what it says beyond them; a limit of builds
 * or of days alone counts for both, as in Concourse (atc/gc/build_log_retention_calculator.go). Reaps at most `limit` builds and returns how many, so that the caller can repeat until there are none.
 */
export async function reapBuildLogs(
  db: Queryable,
  { defaultBuilds, defaultDays, maxBuilds, maxDays } = NO_LIMITS,
  limit = 500,
): Promise<number> {
  const { rows } = await db.query<{ jobId: number }>(
    `WITH wanted AS (
       SELECT j.id AS job_id,
         coalesce(nullif((j.log_retention->>'builds')::int, 0), $2::int) AS builds,
         coalesce(nullif((j.log_retention->>'days')::int, 0), $3::int) AS days,
         coalesce((j.log_retention->>'minimum_succeeded_builds')::int, 0) AS minimum
       FROM job j JOIN pipeline p ON p.id = j.pipeline_id
       WHERE j.active AND NOT j.paused AND NOT p.paused AND NOT p.archived
     ), limited AS (
       SELECT job_id, minimum,
         CASE WHEN $4::int + $5::int = 0 OR builds BETWEEN 1 AND $4::int THEN builds ELSE $4::int END AS builds,
         CASE WHEN $4::int + $5::int = 0 OR days BETWEEN 1 AND $5::int THEN days ELSE $5::int END AS days
       FROM wanted
     ), retention AS (
       SELECT job_id, builds, days, CASE WHEN $4::int + $5::int = 0 OR minimum <= builds THEN minimum ELSE 0 END AS minimum
       FROM limited
     ), ended AS (
       SELECT b.id, b.job_id, b.ordering, b.ended_at, r.builds, r.days,
         b.status = 'succeeded' AND r.builds > 0
           AND count(*) FILTER (WHERE b.status = 'succeeded') OVER newest_first <= r.minimum AS reserved
       FROM build b JOIN retention r USING (job_id)
       WHERE (r.builds > 0 OR r.days > 0) AND b.reaped_at IS NULL AND b.status NOT IN ('pending', 'started')
       WINDOW newest_first AS (PARTITION BY b.job_id ORDER BY b.ordering DESC, b.id DESC)
     ), counted AS (
       SELECT *, count(*) FILTER (WHERE reserved) OVER (PARTITION BY job_id) AS reserved_places,
         count(*) FILTER (WHERE NOT reserved) OVER (PARTITION BY job_id ORDER BY ordering DESC, id DESC) AS place
       FROM ended
     ), chosen AS (
       SELECT id FROM counted
       WHERE NOT reserved AND (builds = 0 OR place > builds - reserved_places)
         AND (days = 0 OR ended_at < now() - make_interval(days => days))
       ORDER BY id LIMIT $1
     ), reaped AS (
       UPDATE build b SET reaped_at = now() FROM chosen WHERE b.id = chosen.id RETURNING b.id, b.job_id
     ), deleted AS (
       DELETE FROM build_event e USING reaped WHERE e.build_id = reaped.id
     )
     SELECT job_id AS "jobId" FROM reaped`,
    [limit, defaultBuilds, defaultDays, maxBuilds, maxDays],
  );
  for (const jobId of new Set(rows.map((row) => row.jobId))) {
    await db.query(
      `UPDATE job SET first_logged_build_id = (SELECT min(id) FROM build WHERE job_id = $1 AND reaped_at IS NULL)
       WHERE id = $1`,
      [jobId],
    );
  }
  return rows.length;
}
