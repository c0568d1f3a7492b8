import type { JobSummaryAnswer } from '@seaplane/api/answers';

export type GraphNode =
  | { readonly id: string; readonly kind: 'job'; readonly job: JobSummaryAnswer }
  /** A resource that enters the pipeline here, or one that a job puts and no job gets from it. */
  | { readonly id: string; readonly kind: 'resource'; readonly name: string; readonly putBy?: string };

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Whether a new version starts the job by itself. */
  readonly triggers: boolean;
  readonly resources: readonly string[];
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

/**
 * The jobs of a pipeline, the resources that enter it, and those that leave it, joined by the inputs and outputs of jobs.
 * An output that another job gets is on the line between the two.
 */
export function graphOf(jobs: readonly JobSummaryAnswer[]): Graph {
  const nodes = new Map<string, GraphNode>(
    jobs.map((job) => [jobId(job.name), { id: jobId(job.name), kind: 'job', job }]),
  );
  const edges = new Map<string, GraphEdge>();
  const join = (from: string, to: string, resource: string, triggers: boolean) => {
    const key = JSON.stringify([from, to]);
    const known = edges.get(key);
    const resources = new Set([...(known?.resources ?? []), resource]);
    edges.set(key, { from, to, triggers: triggers || known?.triggers === true, resources: [...resources] });
  };
  for (const job of jobs) {
    for (const { resource, passed = [], trigger = false } of job.inputs ?? []) {
      const before = passed.filter((name) => nodes.has(jobId(name)));
      for (const name of before) join(jobId(name), jobId(job.name), resource, trigger);
      if (before.length > 0) continue;
      const id = `resource:${resource}`;
      if (!nodes.has(id)) nodes.set(id, { id, kind: 'resource', name: resource });
      join(id, jobId(job.name), resource, trigger);
    }
  }
  for (const { job, resource } of lastOutputs(jobs)) {
    const id = `output:${JSON.stringify([job, resource])}`;
    nodes.set(id, { id, kind: 'resource', name: resource, putBy: job });
    join(jobId(job), id, resource, true);
  }
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

/** What jobs put, and no job gets with `passed` from there. */
function lastOutputs(
  jobs: readonly JobSummaryAnswer[],
): readonly { readonly job: string; readonly resource: string }[] {
  const passedOn = new Set(
    jobs.flatMap(({ inputs = [] }) =>
      inputs.flatMap(({ resource, passed = [] }) => passed.map((job) => JSON.stringify([job, resource]))),
    ),
  );
  return jobs.flatMap(({ name: job, outputs = [] }) =>
    outputs.flatMap(({ resource }) => (passedOn.has(JSON.stringify([job, resource])) ? [] : [{ job, resource }])),
  );
}

function jobId(name: string): string {
  return `job:${name}`;
}
