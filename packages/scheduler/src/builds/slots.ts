import { inTransaction, prepared, type Queryable, requestScheduleOfRefused } from '@seaplane/db';
import { PENDING_ORDER } from './pending-order.ts';

/**
 * Reserves one of a job's slots for a pending build (docs/concourse/semantics.md, section 2.3). Jobs of a pipeline that
 * share a serial group share its one slot, and the oldest of their pending builds comes first. A build whose inputs are
 * not determined does not stand in the way of others.
 */
export async function reserveSlot(db: Queryable, jobId: number, buildId: number): Promise<boolean> {
  return (await takeUnlimited(db, jobId, buildId)) || takeLimited(db, jobId, buildId);
}

/** Takes a slot of a job without a limit. Most jobs have none, so this case is one statement. */
async function takeUnlimited(db: Queryable, jobId: number, buildId: number): Promise<boolean> {
  const { rowCount } = await db.query(
    prepared(
      `WITH unlimited AS (SELECT id, max_in_flight_reached AS reached FROM job WHERE id = $1 AND max_in_flight = 0),
       shown AS (
         UPDATE job SET max_in_flight_reached = false FROM unlimited WHERE job.id = unlimited.id AND unlimited.reached
       )
       UPDATE build SET scheduled = true FROM unlimited WHERE build.id = $2`,
      [jobId, buildId],
    ),
  );
  return rowCount === 1;
}

function takeLimited(db: Queryable, jobId: number, buildId: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ pipelineId: number; maxInFlight: number; held: boolean; groups: string[] }>(
      `SELECT job.pipeline_id AS "pipelineId", job.max_in_flight AS "maxInFlight", build.scheduled AS held,
         ARRAY(SELECT serial_group FROM job_serial_group WHERE job_id = job.id) AS groups
       FROM job JOIN build ON build.id = $2 WHERE job.id = $1`,
      [jobId, buildId],
    );
    const job = rows[0];
    if (!job || job.held) return job !== undefined;
    if (job.maxInFlight === 0) return hold(tx, jobId, buildId, true);
    // Two schedulers that schedule jobs of one group must not both see the slot free.
    await tx.query('SELECT FROM pipeline WHERE id = $1 FOR NO KEY UPDATE', [job.pipelineId]);
    const { rows: usage } = await tx.query<{ running: number; first: number | null }>(
      `WITH sharing AS (
         SELECT DISTINCT other.id, other.paused, other.inputs_determined FROM job other
         JOIN job_serial_group serial ON serial.job_id = other.id
         WHERE other.pipeline_id = $1 AND other.active AND serial_group = ANY($2)
       )
       SELECT
         (SELECT count(*)::int FROM build
          WHERE job_id IN (SELECT id FROM sharing) AND scheduled AND status IN ('pending', 'started')) AS running,
         (SELECT build.id FROM build JOIN sharing ON sharing.id = build.job_id
          WHERE build.status = 'pending' AND NOT build.scheduled AND NOT sharing.paused
            AND (sharing.inputs_determined OR build.id = $3)
          ORDER BY ${PENDING_ORDER} LIMIT 1) AS first`,
      [job.pipelineId, job.groups, buildId],
    );
    const free = (usage[0]?.running ?? 0) < job.maxInFlight && usage[0]?.first === buildId;
    return hold(tx, jobId, buildId, free);
  });
}

/** Gives a slot back, because the build cannot start. The jobs that were refused the slot are scheduled again. */
export function releaseSlot(db: Queryable, jobId: number, buildId: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    // The same lock as in `takeLimited`: a job that is just being refused the slot is marked as refused after this.
    await tx.query(
      `SELECT FROM pipeline JOIN job ON job.pipeline_id = pipeline.id
       WHERE job.id = $1 AND job.max_in_flight > 0 FOR NO KEY UPDATE OF pipeline`,
      [jobId],
    );
    await tx.query("UPDATE build SET scheduled = false WHERE id = $1 AND status = 'pending'", [buildId]);
    await requestScheduleOfRefused(tx, jobId);
  });
}

async function hold(tx: Queryable, jobId: number, buildId: number, granted: boolean): Promise<boolean> {
  await tx.query('UPDATE job SET max_in_flight_reached = $2 WHERE id = $1', [jobId, !granted]);
  if (granted) await tx.query('UPDATE build SET scheduled = true WHERE id = $1', [buildId]);
  return granted;
}
