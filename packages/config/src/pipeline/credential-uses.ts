import { jobStep, leafSteps } from '../step/walk-steps.ts';
import type { Json } from '../values.ts';
import type { PipelineConfig } from './pipeline.ts';

/**
 * The parts of a pipeline whose variables come from var sources, as far as the pipeline itself shows them: sources of
 * types and resources, webhook tokens, and tasks. Each part is one value. The same parts as in Concourse
 * (`validateCredParams` of `atc/api/configserver/save.go`).
 */
export function credentialUses({ resource_types, resources, jobs }: PipelineConfig): Json[] {
  const tasks = jobs.flatMap((job) =>
    leafSteps(jobStep(job))
      .filter((step) => step.kind === 'task')
      .toArray(),
  );
  const uses = [
    ...resource_types.map(({ source }) => source),
    ...resources.flatMap(({ source, webhook_token }) => [source, webhook_token]),
    ...tasks.flatMap(({ params, vars, config }) => [params, vars, config]),
  ];
  return uses.filter((value) => value !== undefined && value !== null) as unknown as Json[];
}
