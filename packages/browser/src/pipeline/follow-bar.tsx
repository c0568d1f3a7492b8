import type { VersionAnswer } from '@seaplane/api/answers';
import { usePolled } from '../api/polled.ts';
import { filterQuery, versionText } from '../resource/versions.ts';
import { causalityPath, pipelinePath, type Route, resourcePath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { jobsReached, type ReachedJob } from './follow.ts';

type PipelineRoute = Extract<Route, { page: 'pipeline' }>;
const VERSION = '/api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version';

interface Followed {
  readonly version?: VersionAnswer;
  readonly reached?: ReadonlyMap<string, ReachedJob>;
  readonly problem?: string;
}

/** The version that the address follows, with the jobs that it has reached. Undefined if none is followed. */
export function useFollowed(route: PipelineRoute): Followed | undefined {
  const { client } = useSession();
  const { team, pipeline, vars, follow } = route;
  const { loaded } = usePolled<Followed | undefined>(JSON.stringify([team, pipeline, vars, follow]), async (signal) => {
    if (!follow) return undefined;
    const call = { at: { team, pipeline, ...follow }, query: vars };
    const [version, causality] = await Promise.all([
      client.get(`GET ${VERSION}`, call, signal),
      client.get(`GET ${VERSION}/downstream`, call, signal),
    ]);
    return { version, reached: jobsReached(causality) };
  });
  const { value, error } = loaded.value;
  if (!follow) return undefined;
  return value ?? (error ? { problem: error.message } : {});
}

/** Names the followed version, and says how far it has come. */
export function FollowBar({
  route,
  followed,
  jobs,
}: {
  route: PipelineRoute;
  followed: Followed | undefined;
  jobs: number;
}) {
  if (!route.follow || !followed) return null;
  const { resource } = route.follow;
  const { version, reached, problem } = followed;
  return (
    <p class="follow-bar" role="status">
      <span>
        Following {resource}{' '}
        {version && (
          <a href={resourcePath(route, resource, filterQuery(version.version))}>{versionText(version.version)}</a>
        )}
        {problem !== undefined && `: ${problem}`}
        {reached && `: it has reached ${reached.size} of ${jobs} jobs.`}
      </span>
      {version && <a href={causalityPath(route, resource, version.id, 'downstream')}>All that came of it</a>}
      <a href={pipelinePath(route)}>Stop following</a>
    </p>
  );
}
