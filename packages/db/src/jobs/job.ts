import type { Json } from '@seaplane/config';
import { fromRow, type Row } from '../from-row.ts';
import { announcePipelines } from '../notifications/changes.ts';
import { inTransaction, prepared, type Queryable } from '../queryable.ts';
import { requestSchedule } from './request-schedule.ts';

export interface Job {
  readonly id: number;
  readonly name: string;
  readonly pipelineId: number;
  readonly active: boolean;
  readonly groups: readonly string[];
  readonly public: boolean;
  readonly disableManualTrigger: boolean;
  readonly disableReruns: boolean;
  readonly maxInFlight: number;
  readonly paused: boolean;
  readonly pausedBy?: string;
  readonly pausedAt?: Date;
  readonly hasNewInputs: boolean;
  readonly inputsDetermined: boolean;
  readonly nextBuildId?: number;
  /** The latest completed build, or its latest rerun. */
  readonly finishedBuildId?: number;
  /** The build at which the job's status last changed. */
  readonly transitionBuildId?: number;
  readonly firstLoggedBuildId?: number;
}

const SELECT_JOBS = `
  SELECT j.id, j.name, j.pipeline_id AS "pipelineId", j.active, j.groups, j.public,
    j.disable_manual_trigger AS "disableManualTrigger", j.disable_reruns AS "disableReruns",
    j.max_in_flight AS "maxInFlight", j.paused, j.paused_by AS "pausedBy", j.paused_at AS "pausedAt",
    j.has_new_inputs AS "hasNewInputs", j.inputs_determined AS "inputsDetermined", j.next_build_id AS "nextBuildId",
    j.latest_completed_build_id AS "finishedBuildId", j.transition_build_id AS "transitionBuildId",
    j.first_logged_build_id AS "firstLoggedBuildId"
  FROM job j`;

/** Finds a job that its pipeline's configuration has. */
export async function findJob(db: Queryable, pipelineId: number, name: string): Promise<Job | undefined> {
  const { rows } = await db.query<Row<Job>>(
    prepared(`${SELECT_JOBS} WHERE j.pipeline_id = $1 AND j.name = $2 AND j.active`, [pipelineId, name]),
  );
  return rows[0] && fromRow<Job>(rows[0]);
}

/** Lists the jobs of pipelines, in the order of their configuration. */
export async function listJobs(db: Queryable, pipelineIds: readonly number[]): Promise<Job[]> {
  const { rows } = await db.query<Row<Job>>(
    `${SELECT_JOBS} WHERE j.pipeline_id = ANY($1::int[]) AND j.active ORDER BY j.pipeline_id, j.ordering`,
    [pipelineIds],
  );
  return rows.map((row) => fromRow<Job>(row));
}

export interface StoredJobInput {
  readonly jobId: number;
  readonly name: string;
  readonly resourceId: number;
  readonly resource: string;
  readonly trigger: boolean;
  readonly version?: Json;
  /** Names of jobs. */
  readonly passed: readonly string[];
}

/** Lists every input of these jobs, ordered by name. */
export async function listJobInputs(db: Queryable, jobIds: readonly number[]): Promise<StoredJobInput[]> {
  const { rows } = await db.query<Row<StoredJobInput>>(
    `SELECT i.job_id AS "jobId", i.name, r.id AS "resourceId", r.name AS resource, i.trigger, i.version,
       ARRAY(SELECT j.name FROM job_input_passed p JOIN job j ON j.id = p.passed_job_id
         WHERE p.job_id = i.job_id AND p.input_name = i.name ORDER BY j.id) AS passed
     FROM job_input i JOIN resource r ON r.id = i.resource_id
     WHERE i.job_id = ANY($1::int[]) ORDER BY i.job_id, i.name`,
    [jobIds],
  );
  return rows.map((row) => fromRow<StoredJobInput>(row));
}

export interface StoredJobOutput {
  readonly jobId: number;
  readonly name: string;
  readonly resource: string;
}

export async function listJobOutputs(db: Queryable, jobIds: readonly number[]): Promise<StoredJobOutput[]> {
  const { rows } = await db.query<StoredJobOutput>(
    `SELECT o.job_id AS "jobId", o.name, r.name AS resource FROM job_output o JOIN resource r ON r.id = o.resource_id
     WHERE o.job_id = ANY($1::int[]) ORDER BY o.job_id, o.name, r.name`,
    [jobIds],
  );
  return rows;
}

export async function pauseJob(db: Queryable, jobId: number, by: string): Promise<void> {
  await db.query(
    `WITH paused AS (
       UPDATE job SET paused = true, paused_by = $2, paused_at = now() WHERE id = $1 AND NOT paused RETURNING pipeline_id
     )
     ${announcePipelines('pipeline_id', 'paused')}`,
    [jobId, by],
  );
}

export function unpauseJob(db: Queryable, jobId: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `WITH unpaused AS (
         UPDATE job SET paused = false, paused_by = NULL, paused_at = NULL WHERE id = $1 AND paused RETURNING pipeline_id
       )
       ${announcePipelines('pipeline_id', 'unpaused')}`,
      [jobId],
    );
    if (rowCount === 1) await requestSchedule(tx, [jobId]);
  });
}
