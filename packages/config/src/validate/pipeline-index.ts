import { JobNames } from '../pipeline/job-inputs.ts';
import type { PipelineConfig } from '../pipeline/pipeline.ts';
import { resourceOf } from '../step/step.ts';
import { jobStep, resourceSteps } from '../step/walk-steps.ts';

/** The things that steps of a pipeline refer to, to be found by name. Steps are many, so nothing is searched for each of them. */
export interface PipelineIndex {
  readonly names: JobNames;
  /** The resources that the jobs of a name get or put. Jobs that share a name are a mistake; each has its own set. */
  readonly used: ReadonlyMap<string, readonly ReadonlySet<string>[]>;
  readonly resources: ReadonlySet<string>;
  readonly prototypes: ReadonlySet<string>;
}

export function indexPipeline(config: PipelineConfig): PipelineIndex {
  const used = new Map<string, Set<string>[]>();
  for (const job of config.jobs) {
    const own = new Set(resourceSteps(jobStep(job)).map(resourceOf));
    used.set(job.name, [...(used.get(job.name) ?? []), own]);
  }
  return {
    names: new JobNames(config),
    used,
    resources: new Set(config.resources.map(({ name }) => name)),
    prototypes: new Set(config.prototypes.map(({ name }) => name)),
  };
}
