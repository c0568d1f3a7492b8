import type { FinalStatus } from '@seaplane/engine';
import { appendEvents } from '../events/append-events.ts';
import { requestScheduleAfterBuild } from '../jobs/request-schedule.ts';
import { CHANNELS } from '../notifications/channels.ts';
import { archiveUnsetChildren } from '../pipelines/archive-pipeline.ts';
import { inTransaction, prepared, type Queryable } from '../queryable.ts';
import { refreshJobBuilds } from './refresh-job-builds.ts';

/**
 * Ends a build in one transaction: sets its status, appends its last event, deletes its plan and journal, and updates
 * its job. Returns false if the build had ended already. The web that runs a build calls `finish` of its journal
 * instead, which refuses a web that has lost the build.
 */
export function finishBuild(db: Queryable, buildId: number, status: FinalStatus): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<FinishedBuild>(
      `UPDATE build SET status = $2, ended_at = clock_timestamp(), private_plan = NULL
       WHERE id = $1 AND status IN ('pending', 'started')
       RETURNING id, job_id AS "jobId", rerun_of AS "rerunOf", ended_at AS "endedAt"`,
      [buildId, status],
    );
    const build = rows[0];
    if (!build) return false;
    const time = Math.floor(build.endedAt.getTime() / 1000);
    await appendEvents(tx, buildId, [{ event: 'status', data: { status, time } }]);
    await closeJournal(tx, buildId);
    if (build.jobId !== null) await updateJob(tx, { ...build, jobId: build.jobId }, status);
    await announceEnd(tx, buildId);
    return true;
  });
}

/**
 * Notifies the collectors: the build's sandboxes may go now. Most checks have no sandbox of their own. Pages show a build
 * of a team, and a check that ended otherwise than the one before. A job's builds are announced with the job.
 */
async function announceEnd(tx: Queryable, buildId: number): Promise<void> {
  await tx.query(
    prepared(
      `SELECT pg_notify('${CHANNELS.garbage}', worker_name)
       FROM (SELECT DISTINCT worker_name FROM sandbox WHERE build_id = $1) workers
       UNION ALL
       SELECT pg_notify('${CHANNELS.changes}', CASE WHEN is_check THEN 'pipeline:' || pipeline_id ELSE 'team:' || team_id END)
       FROM build b WHERE id = $1 AND job_id IS NULL AND (NOT is_check OR (resource_id IS NOT NULL AND status IS DISTINCT FROM (
         SELECT status FROM build before
         WHERE before.resource_id = b.resource_id AND before.id < b.id AND before.status NOT IN ('pending', 'started')
         ORDER BY before.id DESC LIMIT 1)))`,
      [buildId],
    ),
  );
}

interface FinishedBuild {
  readonly id: number;
  readonly jobId: number | null;
  readonly rerunOf: number | null;
  readonly endedAt: Date;
}

async function closeJournal(tx: Queryable, buildId: number): Promise<void> {
  await tx.query(
    `WITH closed AS (UPDATE build_journal_head SET closed = true WHERE build_id = $1),
       positions AS (DELETE FROM build_log_position WHERE build_id = $1)
     DELETE FROM build_journal WHERE build_id = $1`,
    [buildId],
  );
}

async function updateJob(tx: Queryable, build: FinishedBuild & { jobId: number }, status: FinalStatus): Promise<void> {
  // This comes first because it locks the rows of this job and of the others in the order of their ids.
  await requestScheduleAfterBuild(tx, build.jobId);
  if (status === 'succeeded') {
    await saveVouchedVersions(tx, build.id);
    await forgetOlderImages(tx, build.jobId, build.id);
    await archiveUnsetChildren(tx, build.jobId, build.id);
  }
  await updateTransition(tx, build, status);
  await refreshJobBuilds(tx, build.jobId);
}

/** Saves the versions that the build vouches for to `passed`: of each resource those it put, then those it got. */
async function saveVouchedVersions(tx: Queryable, buildId: number): Promise<void> {
  await tx.query(
    `WITH versions AS (
       SELECT resource_id, version_digest, min(kind) AS kind FROM (
         SELECT resource_id, version_digest, 0 AS kind FROM build_output WHERE build_id = $1
         UNION ALL
         SELECT resource_id, version_digest, 1 FROM build_input WHERE build_id = $1
       ) all_versions GROUP BY resource_id, version_digest
     ), by_resource AS (
       SELECT resource_id, jsonb_agg(version_digest ORDER BY kind, version_digest) AS digests
       FROM versions GROUP BY resource_id
     )
     INSERT INTO successful_build_output (build_id, job_id, rerun_of, outputs)
     SELECT b.id, b.job_id, b.rerun_of,
       coalesce((SELECT jsonb_object_agg(resource_id::text, digests) FROM by_resource), '{}')
     FROM build b WHERE b.id = $1`,
    [buildId],
  );
}

/** Images of earlier builds of the job were kept for this build; it has succeeded, so they are no longer needed. */
async function forgetOlderImages(tx: Queryable, jobId: number, buildId: number): Promise<void> {
  await tx.query(
    `DELETE FROM resource_cache_use u USING build b
     WHERE u.build_id = b.id AND u.image AND b.job_id = $1 AND b.id < $2 AND b.status NOT IN ('pending', 'started')`,
    [jobId, buildId],
  );
}

/**
 * Sets the build at which the job's status last changed. A rerun of an older build changes nothing (atc/db/build.go).
 */
async function updateTransition(
  tx: Queryable,
  build: FinishedBuild & { jobId: number },
  status: FinalStatus,
): Promise<void> {
  await tx.query(
    `UPDATE job SET transition_build_id = $2
     FROM job me LEFT JOIN build latest ON latest.id = me.latest_completed_build_id
     WHERE job.id = $1 AND me.id = $1 AND (
       latest.id IS NULL
       OR ($2 >= latest.id AND latest.status <> $3 AND ($4::bigint IS NULL OR $4 = latest.id)))`,
    [build.jobId, build.id, status, build.rerunOf],
  );
}
