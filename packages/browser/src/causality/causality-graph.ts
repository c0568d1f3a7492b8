import type { CausalityAnswer } from '@seaplane/api/answers';
import type { BuildStatus } from '@seaplane/engine/events';
import { versionText } from '../resource/versions.ts';

export interface CausalityItem {
  readonly id: number;
  readonly text: string;
  /** Of a build. */
  readonly status?: BuildStatus;
}

/** A job with its builds, or a resource with its versions, newest first. */
export interface CausalityNode {
  readonly id: string;
  readonly kind: 'job' | 'resource';
  readonly name: string;
  readonly items: readonly CausalityItem[];
}

export interface CausalityGraph {
  readonly nodes: readonly CausalityNode[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** The jobs and resources of an answer, joined as versions went from one to the other: always from cause to effect. */
export function causalityGraph(answer: CausalityAnswer, direction: 'upstream' | 'downstream'): CausalityGraph {
  const { jobs, builds, resources, resource_versions: versions } = answer;
  const newestFirst = (items: readonly CausalityItem[]) => items.toSorted((a, b) => b.id - a.id);
  const jobOf = new Map(builds.map((build) => [build.id, `job ${build.job_id}`]));
  const resourceOf = new Map(versions.map((version) => [version.id, `resource ${version.resource_id}`]));
  const pairs = [
    ...versions.flatMap(({ id, build_ids: ids = [] }) => ids.map((build) => [resourceOf.get(id), jobOf.get(build)])),
    ...builds.flatMap(({ id, resource_version_ids: ids = [] }) =>
      ids.map((version) => [jobOf.get(id), resourceOf.get(version)]),
    ),
  ];
  const edges = new Map(
    pairs.flatMap(([parent, child]) => {
      if (parent === undefined || child === undefined) return [];
      const [from, to] = direction === 'downstream' ? [parent, child] : [child, parent];
      return [[`${from} ${to}`, { from, to }] as const];
    }),
  );
  return {
    nodes: [
      ...jobs.map(
        ({ id, name }): CausalityNode => ({
          id: `job ${id}`,
          kind: 'job',
          name,
          items: newestFirst(
            builds
              .filter((build) => build.job_id === id)
              .map((build) => ({ id: build.id, text: build.name, status: build.status })),
          ),
        }),
      ),
      ...resources.map(
        ({ id, name }): CausalityNode => ({
          id: `resource ${id}`,
          kind: 'resource',
          name,
          items: newestFirst(
            versions
              .filter((version) => version.resource_id === id)
              .map((version) => ({ id: version.id, text: versionText(version.version) })),
          ),
        }),
      ),
    ],
    edges: [...edges.values()],
  };
}
