import { resourceOf, type VersionChoice } from '../step/step.ts';
import { jobStep, resourceSteps } from '../step/walk-steps.ts';
import type { JsonObject } from '../values.ts';
import { matchesJob } from './glob.ts';
import type { JobConfig, PipelineConfig } from './pipeline.ts';

/** A get somewhere in a job's plan: the scheduler finds it a version. */
export interface InputConfig {
  readonly name: string;
  readonly resource: string;
  /** Names of jobs; patterns are resolved. */
  readonly passed: readonly string[];
  readonly trigger: boolean;
  readonly version?: VersionChoice;
  readonly params?: JsonObject;
  readonly tags?: readonly string[];
}

export interface OutputConfig {
  readonly name: string;
  readonly resource: string;
}

/** Every get of a job, wherever in the plan it is. */
export function jobInputs(config: PipelineConfig, job: JobConfig): InputConfig[] {
  return resourceSteps(jobStep(job))
    .filter((step) => step.kind === 'get')
    .map((step) => ({
      name: step.name,
      resource: resourceOf(step),
      passed: jobsPassed(config, step.passed ?? []),
      trigger: step.trigger ?? false,
      ...(step.version !== undefined && { version: step.version }),
      ...(step.params !== undefined && { params: step.params }),
      ...(step.tags !== undefined && { tags: step.tags }),
    }))
    .toArray();
}

/** Every put of a job, wherever in the plan it is. */
export function jobOutputs(job: JobConfig): OutputConfig[] {
  return resourceSteps(jobStep(job))
    .filter((step) => step.kind === 'put')
    .map((step) => ({ name: step.name, resource: resourceOf(step) }))
    .toArray();
}

/** The jobs that entries of `passed` stand for, in the pipeline's order, each once. */
export function jobsPassed(config: PipelineConfig, passed: readonly string[]): string[] {
  const names = config.jobs.map((job) => job.name).filter((name) => passed.some((entry) => matchesJob(entry, name)));
  return [...new Set(names)];
}
