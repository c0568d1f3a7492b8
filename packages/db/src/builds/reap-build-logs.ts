import type { Queryable } from '../queryable.ts';

/**
 * Deletes the events of builds whose log their job does not retain (`build_log_retention`, docs/concourse/semantics.md
 * section 11). The builds themselves are kept. Jobs that are paused, or whose pipeline is, keep all logs.
 *
 * A job's ended builds are counted from the newest. `minimum_succeeded_builds` reserves places among the `builds` for
 * succeeded builds; the newest others get the remaining places. A build without a place is retained for `days` after
 * its end. Reaps at most `limit` builds and returns how many, so that the caller can repeat until there are none.
 */
export async function reapBuildLogs(db: Queryable, limit = 500): Promise<number> {
  const { rows } = await db.query<{ jobId: number }>(
    `WITH retention AS (
       SELECT j.id AS job_id,
         coalesce((j.log_retention->>'builds')::int, 0) AS builds,
         coalesce((j.log_retention->>'days')::int, 0) AS days,
         coalesce((j.log_retention->>'minimum_succeeded_builds')::int, 0) AS minimum
       FROM job j JOIN pipeline p ON p.id = j.pipeline_id
       WHERE j.active AND NOT j.paused AND NOT p.paused AND NOT p.archived
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
    [limit],
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
