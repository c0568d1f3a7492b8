import type { Json, Version } from '@seaplane/config';
import { prepared, type Queryable } from '@seaplane/db';
import type { ResolvableInput, WantedVersion } from './inputs/history.ts';

/** A job, as the scheduler needs it. */
export interface ScheduledJob {
  readonly id: number;
  readonly name: string;
  readonly pipelineId: number;
  /** The job or its pipeline is paused: no build is created or started. */
  readonly paused: boolean;
  /** The pipeline is archived: no build of the job will ever run. */
  readonly archived: boolean;
  /** The number of the newest request to schedule the job, as of this reading. */
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

/** Reads a job. Undefined if it does not exist or is inactive. */
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

/** A version in the step wins over the resource's pin. A string other than `every` means the latest. */
function wantedVersion(version: Json, pin: Version | null): WantedVersion {
  if (typeof version === 'object' && version !== null) return { kind: 'pinned', fields: version as Version };
  if (pin) return { kind: 'pinned', fields: pin };
  return version === 'every' ? { kind: 'every' } : { kind: 'latest' };
}
