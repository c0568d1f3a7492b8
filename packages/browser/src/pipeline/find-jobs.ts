import type { JobSummaryAnswer } from '@seaplane/api/answers';
import { areMet, parseSearch } from '../dashboard/search.ts';

/** The names of the jobs that a search finds; undefined if nothing is searched for. */
export function findJobs(search: string, jobs: readonly JobSummaryAnswer[]): ReadonlySet<string> | undefined {
  const terms = parseSearch(search);
  if (terms.length === 0) return undefined;
  const found = jobs.filter((job) =>
    areMet(terms, { names: [job.name], team: job.team_name, groups: job.groups ?? [], statuses: statusesOf(job) }),
  );
  return new Set(found.map(({ name }) => name));
}

/** A job is found by its last build, and by the build that runs or waits. */
function statusesOf({ paused, next_build: next, finished_build: finished }: JobSummaryAnswer): readonly string[] {
  return [
    ...(paused ? ['paused'] : []),
    ...(finished ? [finished.status] : []),
    ...(next?.status === 'started' ? ['running'] : []),
    ...(next?.status === 'pending' || !(next || finished) ? ['pending'] : []),
  ];
}
