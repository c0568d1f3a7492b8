import { DbError } from '../errors.ts';
import { requestSchedule } from '../jobs/request-schedule.ts';
import { inTransaction, oneRow, type Queryable } from '../queryable.ts';
import { type Build, findBuild } from './build.ts';
import { refreshJobBuilds } from './refresh-job-builds.ts';

export interface JobBuildRequest {
  readonly jobId: number;
  readonly createdBy?: string;
}

/** Creates a pending build that somebody asked for. Its name is the next number of its job. */
export function createJobBuild(db: Queryable, { jobId, createdBy }: JobBuildRequest): Promise<Build> {
  return inTransaction(db, async (tx) => {
    // The counter's row is locked from here on, so builds of a job get their ids in the order of their names.
    const job = await tx.query<{ name: string }>(
      'UPDATE job SET build_counter = build_counter + 1 WHERE id = $1 RETURNING build_counter::text AS name',
      [jobId],
    );
    if (!job.rows[0]) throw new DbError('not-found', 'The job has been deleted.');
    const id = await insertJobBuild(tx, jobId, { name: job.rows[0].name, manuallyTriggered: true, createdBy });
    return announce(tx, jobId, id);
  });
}

/** Creates a pending build for the scheduler, unless the job has one: builds that nobody asked for do not pile up. */
export function ensurePendingBuild(db: Queryable, jobId: number): Promise<Build | undefined> {
  return inTransaction(db, async (tx) => {
    await tx.query('SELECT FROM job WHERE id = $1 FOR NO KEY UPDATE', [jobId]);
    const job = await tx.query<{ name: string }>(
      `UPDATE job SET build_counter = build_counter + 1
       WHERE id = $1 AND NOT EXISTS (SELECT FROM build WHERE job_id = $1 AND status = 'pending')
       RETURNING build_counter::text AS name`,
      [jobId],
    );
    if (!job.rows[0]) return undefined;
    const id = await insertJobBuild(tx, jobId, { name: job.rows[0].name, manuallyTriggered: false });
    return announce(tx, jobId, id);
  });
}

export interface RerunRequest {
  readonly buildId: number;
  readonly createdBy?: string;
}

/** Creates a pending build with the inputs of another, named `N.1`, `N.2`. A rerun of a rerun repeats the original. */
export function rerunBuild(db: Queryable, { buildId, createdBy }: RerunRequest): Promise<Build> {
  return inTransaction(db, async (tx) => {
    const found = await tx.query<{ id: number; jobId: number; name: string }>(
      `SELECT original.id, original.job_id AS "jobId", original.name
       FROM build b JOIN build original ON original.id = coalesce(b.rerun_of, b.id)
       WHERE b.id = $1 AND b.job_id IS NOT NULL`,
      [buildId],
    );
    const original = found.rows[0];
    if (!original) throw new DbError('not-found', 'The job has no such build.');
    // Locked, so that no two reruns get the same number.
    await tx.query('SELECT FROM job WHERE id = $1 FOR NO KEY UPDATE', [original.jobId]);
    const { number } = oneRow(
      await tx.query<{ number: number }>(
        'SELECT coalesce(max(rerun_number), 0) + 1 AS number FROM build WHERE rerun_of = $1',
        [original.id],
      ),
    );
    const id = await insertJobBuild(tx, original.jobId, {
      name: `${original.name}.${number}`,
      manuallyTriggered: false,
      createdBy,
      rerunOf: original.id,
      rerunNumber: number,
    });
    return announce(tx, original.jobId, id);
  });
}

interface NewJobBuild {
  readonly name: string;
  readonly manuallyTriggered: boolean;
  readonly createdBy?: string | undefined;
  readonly rerunOf?: number;
  readonly rerunNumber?: number;
}

async function insertJobBuild(tx: Queryable, jobId: number, build: NewJobBuild): Promise<number> {
  const { name, manuallyTriggered, createdBy, rerunOf, rerunNumber } = build;
  const result = await tx.query<{ id: number }>(
    `WITH created AS (
       INSERT INTO build
         (name, team_id, pipeline_id, job_id, status, manually_triggered, created_by, rerun_of, rerun_number)
       SELECT $2, p.team_id, p.id, j.id, 'pending', $3, $4, $5, $6
       FROM job j JOIN pipeline p ON p.id = j.pipeline_id WHERE j.id = $1
       RETURNING id
     ), head AS (
       INSERT INTO build_journal_head (build_id) SELECT id FROM created
     )
     SELECT id FROM created`,
    [jobId, name, manuallyTriggered, createdBy, rerunOf, rerunNumber],
  );
  return oneRow(result).id;
}

async function announce(tx: Queryable, jobId: number, buildId: number): Promise<Build> {
  await refreshJobBuilds(tx, jobId);
  await requestSchedule(tx, [jobId]);
  const build = await findBuild(tx, buildId);
  if (!build) throw new Error(`build ${buildId} was made and is not there`);
  return build;
}
