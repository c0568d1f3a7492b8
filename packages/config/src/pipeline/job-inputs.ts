import { resourceOf, type VersionChoice } from '../step/step.ts';
import { jobStep, resourceSteps } from '../step/walk-steps.ts';
import type { JsonObject } from '../values.ts';
import { isPlainJobName, matchesJob } from './glob.ts';
import type { JobConfig, PipelineConfig } from './pipeline.ts';

/** The jobs of a pipeline, to be found by an entry of `passed`: a name or a pattern. */
export class JobNames {
  readonly #places = new Map<string, number>();

  constructor({ jobs }: PipelineConfig) {
    for (const [index, { name }] of jobs.entries()) if (!this.#places.has(name)) this.#places.set(name, index);
  }

  /** The names that the entries match, in the pipeline's order, without duplicates. */
  matching(entries: readonly string[]): string[] {
    const patterns = entries.filter((entry) => !isPlainJobName(entry));
    const found = new Set(entries.filter((entry) => this.#places.has(entry)));
    if (patterns.length > 0) {
      for (const name of this.#places.keys()) if (patterns.some((each) => matchesJob(each, name))) found.add(name);
    }
    return [...found].sort((a, b) => (this.#places.get(a) ?? 0) - (this.#places.get(b) ?? 0));
  }
}

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
export function jobInputs(names: JobNames, job: JobConfig): InputConfig[] {
  return resourceSteps(jobStep(job))
    .filter((step) => step.kind === 'get')
    .map((step) => ({
      name: step.name,
      resource: resourceOf(step),
      passed: names.matching(step.passed ?? []),
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
