import { resourceOf, type VersionChoice } from '../step/step.ts';
import { jobStep, resourceSteps } from '../step/walk-steps.ts';
import type { JsonObject } from '../values.ts';
import { matchesJob } from './glob.ts';
import type { JobConfig, PipelineConfig } from './pipeline.ts';

/** A get of a job, for which the scheduler finds a version. */
export interface InputConfig {
  readonly name: string;
  readonly resource: string;
  /** Names of jobs, with patterns resolved. */
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

/** All gets of a job, anywhere in its plan. */
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

/** All puts of a job, anywhere in its plan. */
export function jobOutputs(job: JobConfig): OutputConfig[] {
  return resourceSteps(jobStep(job))
    .filter((step) => step.kind === 'put')
    .map((step) => ({ name: step.name, resource: resourceOf(step) }))
    .toArray();
}

/** The jobs that the entries of `passed` match, in the pipeline's order, without duplicates. */
export function jobsPassed(config: PipelineConfig, passed: readonly string[]): string[] {
  const names = config.jobs.map((job) => job.name).filter((name) => passed.some((entry) => matchesJob(entry, name)));
  return [...new Set(names)];
}
