import type { BuildAnswer } from '@seaplane/api/answers';
import { instanceVarsQuery } from '@seaplane/config/instance-vars';
import { buildPath } from '../routes/routes.ts';

/** The builds of all pipelines, by what a reader wants to know of them. */
export interface Activity {
  /** The one that has run longest first. */
  readonly running: readonly BuildAnswer[];
  /** The one that has waited longest first. */
  readonly waiting: readonly BuildAnswer[];
  /** The one that ended last first. */
  readonly ended: readonly BuildAnswer[];
}

export type EndedFilter = 'all' | 'failed';

export function activityOf(builds: readonly BuildAnswer[], filter: EndedFilter): Activity {
  const of = (status: BuildAnswer['status']) => builds.filter((build) => build.status === status);
  const ended = builds.filter(({ status }) => status !== 'pending' && status !== 'started');
  const isShown = ({ status }: BuildAnswer) => filter === 'all' || status === 'failed' || status === 'errored';
  return {
    running: of('started').toSorted((a, b) => (a.start_time ?? 0) - (b.start_time ?? 0) || a.id - b.id),
    waiting: of('pending').toSorted((a, b) => a.id - b.id),
    ended: ended.filter(isShown).toSorted((a, b) => (b.end_time ?? 0) - (a.end_time ?? 0) || b.id - a.id),
  };
}

/** The page of a build. One that belongs to no job is found by its id. */
export function pathOfBuild(build: BuildAnswer): string {
  const { id, team_name: team, pipeline_name: pipeline, job_name: job, name, pipeline_instance_vars: vars } = build;
  if (pipeline === undefined || job === undefined) return `/builds/${id}`;
  return buildPath({ team, pipeline, vars: instanceVarsQuery(vars) }, job, name);
}
