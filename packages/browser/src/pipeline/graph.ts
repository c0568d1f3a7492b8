import type { JobSummaryAnswer } from '@seaplane/api/answers';

export type GraphNode =
  | { readonly id: string; readonly kind: 'job'; readonly job: JobSummaryAnswer }
  /** A resource that enters the pipeline here. */
  | { readonly id: string; readonly kind: 'resource'; readonly name: string };

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

/** The jobs of a pipeline and the resources that enter it, joined by the inputs of jobs. */
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
  return { nodes: [...nodes.values()], edges: [...edges.values()] };
}

function jobId(name: string): string {
  return `job:${name}`;
}
