import { CHANNELS } from '../notifications/channels.ts';
import { prepared, type Queryable } from '../queryable.ts';

/**
 * Gives jobs a reason to be scheduled, and tells the schedulers. Every change that may let a build be made or started ends
 * in one of these, in its own transaction. Rows are locked in the order of their ids, so that two of these never wait for
 * each other in a circle.
 */
export async function requestSchedule(db: Queryable, jobIds: readonly number[]): Promise<void> {
  if (jobIds.length > 0) await db.query(prepared(requestFor('SELECT unnest($1::int[])'), [jobIds]));
}

export async function requestScheduleOfPipeline(db: Queryable, pipelineId: number): Promise<void> {
  await db.query(requestFor('SELECT id FROM job WHERE pipeline_id = $1 AND active'), [pipelineId]);
}

/** Jobs that get this resource and would see another version of it now. */
export async function requestScheduleOfResource(db: Queryable, resourceId: number): Promise<void> {
  await db.query(requestFor('SELECT job_id FROM job_input WHERE resource_id = $1'), [resourceId]);
}

/** Jobs that get a resource with this history of versions straight from it, and not through another job. */
export async function requestScheduleOfScope(db: Queryable, scopeId: number): Promise<void> {
  const jobs = `
    SELECT i.job_id FROM job_input i JOIN resource r ON r.id = i.resource_id
    WHERE r.scope_id = $1 AND NOT EXISTS (
      SELECT FROM job_input_passed p WHERE p.job_id = i.job_id AND p.input_name = i.name)`;
  await db.query(prepared(requestFor(jobs), [scopeId]));
}

/** Jobs with a build that waits for a check of this history, whatever that has found. */
export async function requestScheduleOfWaiting(db: Queryable, scopeId: number): Promise<void> {
  const jobs = `
    SELECT b.job_id FROM build b
    JOIN job_input i ON i.job_id = b.job_id JOIN resource r ON r.id = i.resource_id
    WHERE b.status = 'pending' AND r.scope_id = $1`;
  await db.query(prepared(requestFor(jobs), [scopeId]));
}

/** Jobs of the same pipeline that share a serial group with the job $1, itself among them. */
const SHARING = `
  SELECT other.id FROM job_serial_group mine
  JOIN job_serial_group theirs USING (serial_group)
  JOIN job me ON me.id = mine.job_id
  JOIN job other ON other.id = theirs.job_id AND other.pipeline_id = me.pipeline_id
  WHERE mine.job_id = $1`;

/** Jobs for which the end of a build of this one matters: downstream ones, and those that share its slots. */
export async function requestScheduleAfterBuild(db: Queryable, jobId: number): Promise<void> {
  const jobs = `
    SELECT $1::int
    UNION SELECT job_id FROM job_input_passed WHERE passed_job_id = $1
    UNION ${SHARING}`;
  await db.query(prepared(requestFor(jobs), [jobId]));
}

/** Jobs that were refused a slot they share with this one, and would start a build if they had it. */
export async function requestScheduleOfRefused(db: Queryable, jobId: number): Promise<void> {
  await db.query(
    prepared(requestFor(`${SHARING} AND other.id <> $1 AND other.max_in_flight_reached AND other.inputs_determined`), [
      jobId,
    ]),
  );
}

function requestFor(jobIds: string): string {
  return `
    WITH wanted AS (
      SELECT id FROM job WHERE id IN (${jobIds}) AND active ORDER BY id FOR NO KEY UPDATE
    ), requested AS (
      UPDATE job SET schedule_requested = schedule_requested + 1 FROM wanted WHERE job.id = wanted.id
      RETURNING job.id
    )
    SELECT pg_notify('${CHANNELS.job}', id::text) FROM requested`;
}
