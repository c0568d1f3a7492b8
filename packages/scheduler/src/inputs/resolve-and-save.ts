import type { Queryable } from '@seaplane/db';
import type { ScheduledJob } from '../read-job.ts';
import { type NextInputs, saveNextInputs } from './next-inputs.ts';
import { resolveInputs } from './resolve-inputs.ts';
import { sqlHistory } from './sql-history.ts';

/** Resolves a job's inputs and saves them. */
export async function resolveAndSave(
  db: Queryable,
  job: Pick<ScheduledJob, 'id' | 'inputs'>,
): Promise<NextInputs & { readonly hasNext: boolean }> {
  const resolution = await resolveInputs(sqlHistory(db), job.id, job.inputs);
  return { ...(await saveNextInputs(db, job.id, job.inputs, resolution)), hasNext: resolution.hasNext };
}
