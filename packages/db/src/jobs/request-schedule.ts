import { CHANNELS } from '../notifications/channels.ts';
import { prepared, type Queryable } from '../queryable.ts';

/**
 * Requests that jobs be scheduled, and notifies the schedulers. Every change that may let a build be created or started
 * ends in one of the functions of this file, in its own transaction. Rows are locked in the order of their ids, so that
 * two requests never deadlock.
 */
export async function requestSchedule(db: Queryable, jobIds: readonly number[]): Promise<void> {
  if (jobIds.length > 0) await db.query(prepared(requestFor('SELECT unnest($1::int[])'), [jobIds]));
}

export async function requestScheduleOfPipeline(db: Queryable, pipelineId: number): Promise<void> {
  await db.query(requestFor('SELECT id FROM job WHERE pipeline_id = $1 AND active'), [pipelineId]);
}

/** For all jobs that get this resource, directly or with `passed`. */
export async function requestScheduleOfResource(db: Queryable, resourceId: number): Promise<void> {
  await db.query(requestFor('SELECT job_id FROM job_input WHERE resource_id = $1'), [resourceId]);
}

/** For jobs that get a resource with this history without `passed`. */
export async function requestScheduleOfScope(db: Queryable, scopeId: number): Promise<void> {
  const jobs = `
    SELECT i.job_id FROM job_input i JOIN resource r ON r.id = i.resource_id
    WHERE r.scope_id = $1 AND NOT EXISTS (
      SELECT FROM job_input_passed p WHERE p.job_id = i.job_id AND p.input_name = i.name)`;
  await db.query(prepared(requestFor(jobs), [scopeId]));
}

/** For jobs that have a pending build and an input with this history: the build may have waited for its check. */
export async function requestScheduleOfWaiting(db: Queryable, scopeId: number): Promise<void> {
  const jobs = `
    SELECT b.job_id FROM build b
    JOIN job_input i ON i.job_id = b.job_id JOIN resource r ON r.id = i.resource_id
    WHERE b.status = 'pending' AND r.scope_id = $1`;
  await db.query(prepared(requestFor(jobs), [scopeId]));
}

/** Selects jobs of the same pipeline that share a serial group with the job $1, including that job. */
const SHARING = `
  SELECT other.id FROM job_serial_group mine
  JOIN job_serial_group theirs USING (serial_group)
  JOIN job me ON me.id = mine.job_id
  JOIN job other ON other.id = theirs.job_id AND other.pipeline_id = me.pipeline_id
  WHERE mine.job_id = $1`;

/** For jobs that the end of a build of this job affects: itself, downstream jobs, and jobs that share its slots. */
export async function requestScheduleAfterBuild(db: Queryable, jobId: number): Promise<void> {
  const jobs = `
    SELECT $1::int
    UNION SELECT job_id FROM job_input_passed WHERE passed_job_id = $1
    UNION ${SHARING}`;
  await db.query(prepared(requestFor(jobs), [jobId]));
}

/** For jobs that were refused a slot they share with this job and that have determined inputs. */
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
