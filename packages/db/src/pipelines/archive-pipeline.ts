import { requestSchedule } from '../jobs/request-schedule.ts';
import { announceChange } from '../notifications/changes.ts';
import { inTransaction, type Queryable } from '../queryable.ts';

/** Archives a pipeline: it is paused for good, its configuration is deleted and its history is kept. */
export async function archivePipeline(db: Queryable, pipelineId: number, by: string): Promise<boolean> {
  return (await archive(db, [pipelineId], by)) > 0;
}

const ARCHIVER = 'automatic-pipeline-archiver';

/**
 * Archives the pipelines that an earlier build of the job set and this successful build did not, and their children.
 */
export async function archiveUnsetChildren(db: Queryable, jobId: number, buildId: number): Promise<void> {
  const { rows } = await db.query<{ id: number }>(
    `WITH RECURSIVE unset AS (
       SELECT id FROM pipeline WHERE NOT archived AND parent_job_id = $1 AND parent_build_id < $2
       UNION
       SELECT p.id FROM pipeline p
       JOIN job j ON j.id = p.parent_job_id JOIN unset ON unset.id = j.pipeline_id
       WHERE NOT p.archived
     )
     SELECT id FROM unset ORDER BY id`,
    [jobId, buildId],
  );
  await archive(
    db,
    rows.map(({ id }) => id),
    ARCHIVER,
  );
}

/**
 * Archives pipelines whose parent no longer sets them: its job is gone or inactive, its pipeline is gone or archived,
 * or its latest completed build succeeded without them. Returns how many. Call until it returns 0: each may be a
 * parent.
 */
export async function archiveAbandonedPipelines(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `SELECT p.id FROM pipeline p
     LEFT JOIN job j ON j.id = p.parent_job_id
     LEFT JOIN pipeline parent ON parent.id = j.pipeline_id
     LEFT JOIN build latest ON latest.id = j.latest_completed_build_id
     WHERE p.parent_job_id IS NOT NULL AND NOT p.archived AND (
       j.id IS NULL OR NOT j.active OR parent.archived
       OR (p.parent_build_id < latest.id AND latest.status = 'succeeded'))
     ORDER BY p.id`,
  );
  return archive(
    db,
    rows.map(({ id }) => id),
    ARCHIVER,
  );
}

async function archive(db: Queryable, pipelineIds: readonly number[], by: string): Promise<number> {
  if (pipelineIds.length === 0) return 0;
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ id: number }>(
      `WITH archived AS (
       UPDATE pipeline SET archived = true, paused = true, paused_by = $2, paused_at = now(),
         config = NULL, config_version = 0, updated_at = now()
       WHERE id = ANY($1::int[]) AND NOT archived
       RETURNING id
     ), jobs AS (
       UPDATE job SET log_retention = NULL FROM archived WHERE pipeline_id = archived.id
     ), resources AS (
       UPDATE resource SET config = NULL FROM archived WHERE pipeline_id = archived.id
     ), types AS (
       UPDATE resource_type SET config = NULL FROM archived WHERE pipeline_id = archived.id
     ), prototypes AS (
       UPDATE prototype SET config = NULL FROM archived WHERE pipeline_id = archived.id
     )
     SELECT id FROM archived`,
      [pipelineIds, by],
    );
    // Pending builds of these jobs will never start: the scheduler ends them.
    const waiting = await tx.query<{ id: number }>(
      "SELECT DISTINCT job_id AS id FROM build WHERE pipeline_id = ANY($1::int[]) AND job_id IS NOT NULL AND status = 'pending'",
      [rows.map(({ id }) => id)],
    );
    await requestSchedule(
      tx,
      waiting.rows.map(({ id }) => id),
    );
    for (const { id } of rows) await announceChange(tx, `pipeline:${id}`);
    return rows.length;
  });
}
