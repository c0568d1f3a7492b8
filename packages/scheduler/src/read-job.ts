import type { Json, Version } from '@seaplane/config';
import { prepared, type Queryable } from '@seaplane/db';
import type { ResolvableInput, WantedVersion } from './history.ts';

/** A job as the scheduler sees it. */
export interface ScheduledJob {
  readonly id: number;
  readonly name: string;
  readonly pipelineId: number;
  /** Paused itself, or its pipeline is: nothing new is made or started. */
  readonly paused: boolean;
  /** Its pipeline is: nothing of it will ever run. */
  readonly archived: boolean;
  /** The newest reason to look at it that was known when it was read. */
  readonly requested: number;
  readonly inputs: readonly ResolvableInput[];
}

interface InputRow {
  readonly name: string;
  readonly resourceId: number;
  readonly trigger: boolean;
  readonly version: Json;
  readonly pin: Version | null;
  readonly passed: number[];
}

/** Undefined when the job is not there (any more). */
export async function readJob(db: Queryable, jobId: number): Promise<ScheduledJob | undefined> {
  const { rows } = await db.query<Omit<ScheduledJob, 'inputs'>>(
    prepared(
      `SELECT job.id, job.name, job.pipeline_id AS "pipelineId", job.paused OR pipeline.paused AS paused,
       pipeline.archived, job.schedule_requested AS requested
     FROM job JOIN pipeline ON pipeline.id = job.pipeline_id
     WHERE job.id = $1 AND job.active`,
      [jobId],
    ),
  );
  const job = rows[0];
  return job && { ...job, inputs: await readInputs(db, jobId) };
}

async function readInputs(db: Queryable, jobId: number): Promise<ResolvableInput[]> {
  const { rows } = await db.query<InputRow>(
    prepared(
      `SELECT input.name, input.resource_id AS "resourceId", input.trigger,
       input.version, pin.version AS pin,
       ARRAY(SELECT passed_job_id FROM job_input_passed passed
             WHERE passed.job_id = input.job_id AND passed.input_name = input.name ORDER BY passed_job_id) AS passed
     FROM job_input input
     LEFT JOIN resource_pin pin ON pin.resource_id = input.resource_id
     WHERE input.job_id = $1
     ORDER BY input.ordering`,
      [jobId],
    ),
  );
  return rows.map(({ version, pin, ...input }) => ({ ...input, wanted: wantedVersion(version, pin) }));
}

/** A version that the step names beats the resource's pin; a string other than `every` says nothing. */
function wantedVersion(version: Json, pin: Version | null): WantedVersion {
  if (typeof version === 'object' && version !== null) return { kind: 'pinned', fields: version as Version };
  if (pin) return { kind: 'pinned', fields: pin };
  return version === 'every' ? { kind: 'every' } : { kind: 'latest' };
}
