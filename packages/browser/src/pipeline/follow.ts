import type { CausalityAnswer } from '@seaplane/api/answers';
import type { BuildStatus } from '@seaplane/engine/events';

/** The newest build of a job that had the version, or something made of it. */
export interface ReachedJob {
  readonly build: string;
  readonly status: BuildStatus;
}

/** The jobs that a version has reached, by name. */
export function jobsReached({ jobs, builds }: CausalityAnswer): ReadonlyMap<string, ReachedJob> {
  return new Map(
    jobs.flatMap(({ id, name }) => {
      const own = builds.filter((build) => build.job_id === id).toSorted((a, b) => b.id - a.id);
      const [newest] = own;
      return newest ? [[name, { build: newest.name, status: newest.status }] as const] : [];
    }),
  );
}
