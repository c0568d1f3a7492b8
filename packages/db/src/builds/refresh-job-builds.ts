import { announcePipelines } from '../notifications/changes.ts';
import { prepared, type Queryable } from '../queryable.ts';

/**
 * Sets a job's next and finished build (atc/db/build.go), and announces that its pipeline has changed. The finished build is the latest completed build, or the
 * latest rerun of that build; a rerun of an older build does not count. The next build is the first that is pending or
 * running; a rerun counts only if it repeats the latest completed build. The caller's transaction has locked the job's
 * row.
 */
export async function refreshJobBuilds(tx: Queryable, jobId: number): Promise<void> {
  await tx.query(
    prepared(
      `WITH latest AS (
       SELECT id FROM build
       WHERE job_id = $1 AND rerun_of IS NULL AND status NOT IN ('pending', 'started')
       ORDER BY ordering DESC, id DESC LIMIT 1
     ), refreshed AS (
     UPDATE job SET
       latest_completed_build_id = coalesce(
         (SELECT max(b.id) FROM build b JOIN latest ON b.rerun_of = latest.id
          WHERE b.status NOT IN ('pending', 'started')),
         (SELECT id FROM latest)),
       next_build_id = (
         SELECT min(id) FROM build
         WHERE job_id = $1 AND status IN ('pending', 'started')
           AND (rerun_of IS NULL OR rerun_of = (SELECT id FROM latest)))
     WHERE id = $1
     RETURNING pipeline_id)
     ${announcePipelines('pipeline_id', 'refreshed')}`,
      [jobId],
    ),
  );
}
