import { resourceOf, type VersionChoice } from '../step/step.ts';
import { jobStep, resourceSteps } from '../step/walk-steps.ts';
import type { JsonObject } from '../values.ts';
import { compilePassed, isPlainJobName } from './glob.ts';
import { indexNames, type NameIndex } from './name-index.ts';
import type { JobConfig, PipelineConfig } from './pipeline.ts';

/** The jobs of a pipeline, to be found by an entry of `passed`: a name or a pattern. */
export class JobNames {
  readonly #places = new Map<string, number>();
  /** Made for the first pattern. */
  #index: NameIndex | undefined;
  readonly #matches = new Map<string, readonly string[]>();

  constructor({ jobs }: PipelineConfig) {
    for (const [index, { name }] of jobs.entries()) if (!this.#places.has(name)) this.#places.set(name, index);
  }

  /** The names that the entries match, in the pipeline's order, without duplicates. */
  matching(entries: readonly string[]): string[] {
    const found = new Set(entries.filter((entry) => this.#places.has(entry)));
    for (const entry of entries) if (!isPlainJobName(entry)) for (const name of this.#matchesOf(entry)) found.add(name);
    return [...found].sort((a, b) => (this.#places.get(a) ?? 0) - (this.#places.get(b) ?? 0));
  }

  #matchesOf(pattern: string): readonly string[] {
    const known = this.#matches.get(pattern);
    if (known) return known;
    this.#index ??= indexNames(this.#places.keys());
    const glob = compilePassed(pattern);
    const matches = glob ? this.#index.candidates(glob).filter((name) => glob.test(name)) : [];
    this.#matches.set(pattern, matches);
    return matches;
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
