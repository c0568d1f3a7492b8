import { buildJobPlan, type Plan, type PublicPlan, publicPlan, readSavedPipeline } from '@seaplane/config';
import { readPipelineConfig } from '@seaplane/db';
import type { SchedulerContext } from '../context.ts';
import type { AdoptedInput } from '../inputs/next-inputs.ts';
import type { ScheduledJob } from '../read-job.ts';
import { SchedulerError } from '../scheduler-error.ts';

export interface JobBuildPlan {
  readonly plan: Plan;
  readonly publicPlan: PublicPlan;
}

/**
 * Plans a build of a job with these versions, by the pipeline's present configuration. Throws `unplannable` if no plan
 * can be made from that configuration. Any other error may be gone at the next attempt.
 */
export async function planJobBuild(
  {
    db,
    baseTypeDefaults = {},
    checkIntervals = {},
  }: Pick<SchedulerContext, 'db' | 'baseTypeDefaults' | 'checkIntervals'>,
  { pipelineId, name }: Pick<ScheduledJob, 'pipelineId' | 'name'>,
  { manuallyTriggered }: { readonly manuallyTriggered: boolean },
  inputs: readonly AdoptedInput[],
): Promise<JobBuildPlan> {
  const stored = await readPipelineConfig(db, pipelineId);
  if (!stored) throw new Error(`pipeline ${pipelineId} was archived or destroyed meanwhile`);
  const versions = Object.fromEntries(inputs.map((input) => [input.name, input.version]));
  try {
    const pipeline = readSavedPipeline(stored.config);
    const job = pipeline.jobs.find((each) => each.name === name);
    if (!job) throw new Error(`the pipeline has no job ${name} any more`);
    const { resource: imageInterval } = checkIntervals;
    const plan = buildJobPlan({
      pipeline,
      job,
      inputs: versions,
      manuallyTriggered,
      baseTypeDefaults,
      ...(imageInterval !== undefined && { imageInterval }),
    });
    return { plan, publicPlan: publicPlan(plan) };
  } catch (cause) {
    throw new SchedulerError('unplannable', `the build cannot be planned: ${(cause as Error).message}`, { cause });
  }
}
