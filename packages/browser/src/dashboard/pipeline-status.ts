import type { JobSummaryAnswer, PipelineAnswer } from '@seaplane/api/answers';

export type PipelineStatus = 'archived' | 'paused' | 'pending' | 'succeeded' | 'failed' | 'errored' | 'aborted';

/** A pipeline as the dashboard shows it. */
export interface PipelineView {
  readonly pipeline: PipelineAnswer;
  readonly jobs: readonly JobSummaryAnswer[];
  readonly status: PipelineStatus;
  /** Whether a build is running or about to. */
  readonly isRunning: boolean;
  /** When the pipeline got this status, in seconds. */
  readonly since: number | undefined;
  /** The resources whose last check did not succeed. */
  readonly failingChecks: readonly string[];
}

/** The worst first. */
const WORST = ['failed', 'errored', 'aborted', 'succeeded'] as const;

/** The status of a pipeline by Concourse's rule: archived, paused, or the worst finished build of its jobs. */
export function viewPipeline(
  pipeline: PipelineAnswer,
  jobs: readonly JobSummaryAnswer[],
  failingChecks: readonly string[],
): PipelineView {
  const running = jobs.some(({ next_build: next }) => next !== undefined);
  const active = jobs.filter(({ paused }) => !paused);
  const worst = WORST.find((status) => active.some(({ finished_build: build }) => build?.status === status));
  const status = pipeline.archived ? 'archived' : pipeline.paused ? 'paused' : (worst ?? 'pending');
  return { pipeline, jobs, status, isRunning: running, since: sinceOf(pipeline, active, status), failingChecks };
}

/** A good pipeline is good since its last change; a bad one is bad since its first. */
function sinceOf(
  pipeline: PipelineAnswer,
  jobs: readonly JobSummaryAnswer[],
  status: PipelineStatus,
): number | undefined {
  if (status === 'paused') return pipeline.paused_at;
  const ends = jobs
    .filter(({ finished_build: build }) => build?.status === status)
    .map(({ transition_build: transition, finished_build: build }) => transition?.end_time ?? build?.end_time)
    .filter((end) => end !== undefined);
  if (ends.length === 0) return undefined;
  return status === 'succeeded' ? Math.max(...ends) : Math.min(...ends);
}

/** The jobs in columns, by how many jobs a version passes before it reaches them. */
export function columnsOf(jobs: readonly JobSummaryAnswer[]): readonly (readonly JobSummaryAnswer[])[] {
  const byName = new Map(jobs.map((job) => [job.name, job]));
  const depths = new Map<string, number>();
  const depthOf = (name: string, path: readonly string[]): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    const before = (byName.get(name)?.inputs ?? [])
      .flatMap(({ passed = [] }) => passed)
      .filter((other) => byName.has(other) && !path.includes(other)); // a circle would have no end
    const depth = Math.max(-1, ...before.map((other) => depthOf(other, [...path, name]))) + 1;
    depths.set(name, depth);
    return depth;
  };
  const columns: JobSummaryAnswer[][] = [];
  for (const job of jobs) {
    const depth = depthOf(job.name, [job.name]);
    while (columns.length <= depth) columns.push([]);
    columns[depth]?.push(job);
  }
  return columns;
}
