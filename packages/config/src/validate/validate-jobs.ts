import { JobNames } from '../pipeline/job-inputs.ts';
import type { JobConfig, PipelineConfig } from '../pipeline/pipeline.ts';
import type { UnknownFields } from '../step/core-steps.ts';
import { jobStep, resourceSteps } from '../step/walk-steps.ts';
import { indexPipeline } from './pipeline-index.ts';
import { checkItemName, checkUnique, itemName, noMistakes, type SectionMistakes } from './section.ts';
import { validateSteps } from './validate-steps.ts';

export function validateJobs(config: PipelineConfig, unknownFields: UnknownFields): SectionMistakes {
  const mistakes = noMistakes();
  if (config.jobs.length === 0) mistakes.errors.push('jobs: pipeline must contain at least one job');
  const seen = new Map<string, string>();
  const known = indexPipeline(config);
  for (const [index, job] of config.jobs.entries()) {
    const item = itemName('jobs', index, job.name);
    checkItemName(mistakes, job.name, item);
    checkUnique(mistakes, seen, 'jobs', index, job.name);
    if (job.name === '') mistakes.errors.push(`${item} has no name`);
    checkRetention(mistakes, job, item);
    const { errors, warnings } = validateSteps(known, unknownFields, jobStep(job), [item, '.plan']);
    mistakes.errors.push(...errors);
    mistakes.warnings.push(...warnings);
  }
  return mistakes;
}

function checkRetention(mistakes: SectionMistakes, job: JobConfig, item: string): void {
  const { build_log_retention: retention, build_logs_to_retain: old = 0 } = job;
  if (retention !== undefined && old !== 0) {
    mistakes.errors.push(`${item} can't use both build_log_retention and build_logs_to_retain`);
  } else if (old < 0) mistakes.errors.push(`${item} has negative build_logs_to_retain: ${old}`);
  if (old !== 0) {
    const message = `${item}.build_logs_to_retain is deprecated. Use build_log_retention instead.`;
    mistakes.warnings.push({ type: 'deprecated_field', message });
  }
  if (retention === undefined) return;
  const { builds = 0, days = 0, minimum_succeeded_builds: least = 0 } = retention;
  const negative = (field: string, value: number) => {
    if (value < 0) mistakes.errors.push(`${item} has negative build_log_retention.${field}: ${value}`);
  };
  negative('builds', builds);
  negative('days', days);
  negative('min_success_builds', least);
  if (builds > 0 && least > builds) {
    // The second name should be `builds`. The mistake is Concourse's and is kept, because users search for the text.
    mistakes.errors.push(
      `${item} has build_log_retention.min_success_builds: ${least} greater than ` +
        `build_log_retention.min_success_builds: ${builds}`,
    );
  }
}

/** Jobs that wait for each other through `passed` can never run. Returns one message about the first such job. */
export function findCycle(config: PipelineConfig): string[] {
  const upstream = new Map<string, readonly string[]>();
  const names = new JobNames(config);
  for (const job of config.jobs) {
    if (upstream.has(job.name)) continue;
    const passed = [...resourceSteps(jobStep(job))].flatMap((step) => (step.kind === 'get' ? (step.passed ?? []) : []));
    upstream.set(
      job.name,
      passed.flatMap((entry) => names.matching([entry])),
    );
  }
  const done = new Set<string>();
  for (const { name } of config.jobs) {
    const start = cycleFrom(name, upstream, done);
    if (start !== undefined) return [`pipeline contains a cycle that starts at Job '${start}'`];
  }
  return [];
}

/**
 * The first job of a cycle that can be reached. `done` gets the jobs from which no cycle can be reached. Not recursive,
 * because `passed` may lead through any number of jobs.
 */
function cycleFrom(
  first: string,
  upstream: ReadonlyMap<string, readonly string[]>,
  done: Set<string>,
): string | undefined {
  const open = new Set<string>();
  const path: { readonly name: string; readonly next: Iterator<string> }[] = [];
  const enter = (name: string) => {
    open.add(name);
    path.push({ name, next: (upstream.get(name) ?? []).values() });
  };
  if (!done.has(first)) enter(first);
  for (let at = path.at(-1); at; at = path.at(-1)) {
    const { done: isOver, value: next } = at.next.next();
    if (isOver) {
      path.pop();
      open.delete(at.name);
      done.add(at.name);
    } else if (open.has(next)) return next;
    else if (!done.has(next)) enter(next);
  }
  return undefined;
}
