import { buildJobPlan, publicPlan } from '@seaplane/config';
import type { Queryable } from '@seaplane/db';
import type { PlannedBuild } from './context.ts';
import type { AdoptedInput } from './next-inputs.ts';
import type { ScheduledJob } from './read-job.ts';
import { storedPipeline } from './stored-pipeline.ts';

/** The plan of a build of a job, with these versions, by the pipeline's present configuration. */
export async function planJobBuild(
  db: Queryable,
  { pipelineId, name }: Pick<ScheduledJob, 'pipelineId' | 'name'>,
  { manuallyTriggered }: { readonly manuallyTriggered: boolean },
  inputs: readonly AdoptedInput[],
): Promise<PlannedBuild> {
  const pipeline = await storedPipeline(db, pipelineId);
  const job = pipeline.jobs.find((each) => each.name === name);
  if (!job) throw new Error(`pipeline ${pipelineId} has no job ${name} any more`);
  const versions = Object.fromEntries(inputs.map((input) => [input.name, input.version]));
  const plan = buildJobPlan({ pipeline, job, inputs: versions, manuallyTriggered });
  return { plan, publicPlan: publicPlan(plan) };
}
