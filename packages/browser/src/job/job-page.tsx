import type { BuildAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { markOf } from '../dashboard/job-preview.tsx';
import { Ago, Lasting } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { Failed, Loading } from '../parts/message.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { useTitle } from '../parts/title.ts';
import type { Navigation } from '../routes/navigation.ts';
import { buildPath, jobPath, type Route } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';

const PAGE = 100;
type JobRoute = Extract<Route, { page: 'job' }>;

/** A job and its builds, newest first. */
export function JobPage({ route, navigation }: { route: JobRoute; navigation: Navigation }) {
  const session = useSession();
  const { client } = session;
  const { team, pipeline, job: name, vars, from, to } = route;
  const at = { team, pipeline, job: name };
  const range = new URLSearchParams({ limit: String(PAGE), ...(from && { from }), ...(to && { to }) }).toString();
  const query = vars === '' ? range : `${vars}&${range}`;
  const polled = usePolled(JSON.stringify(route), async (signal) => {
    const [job, builds] = await Promise.all([
      client.get('GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job', { at, query: vars }, signal),
      client.get('GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds', { at, query }, signal),
    ]);
    return { job, builds };
  });
  const [problem, setProblem] = useState<string>();
  useTitle(name);
  const { value, error } = polled.loaded.value;
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  const { job, builds } = value;
  const mayAct = session.may(team, 'pipeline-operator');

  async function act(action: () => Promise<void>): Promise<void> {
    setProblem(undefined);
    try {
      await action();
      polled.refresh();
    } catch (failure) {
      setProblem((failure as Error).message);
    }
  }
  const verb = job.paused ? 'unpause' : 'pause';
  const reason = mayAct ? undefined : 'Your role does not allow this';
  const cannotTrigger = job.disable_manual_trigger ? 'This job cannot be triggered by hand' : reason;
  return (
    <>
      <header class="build-header">
        <StatusMark mark={markOf(job)} size={28} />
        <div class="build-name">
          <h1>{name}</h1>
          <p class="soft">
            {wordFor(markOf(job))}
            {job.paused_by ? ` by ${job.paused_by}` : ''}
          </p>
        </div>
        <div class="build-actions">
          <button
            type="button"
            disabled={!mayAct}
            title={reason}
            onClick={() =>
              void act(() =>
                client.put(`PUT /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/${verb}`, { at, query: vars }),
              )
            }
          >
            <Icon name={job.paused ? 'play' : 'pause'} /> {job.paused ? 'Unpause' : 'Pause'}
          </button>
          <button
            type="button"
            class="primary"
            disabled={cannotTrigger !== undefined}
            title={cannotTrigger ?? 'Start a new build'}
            onClick={() =>
              void act(async () => {
                const made = await client.post('POST /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds', {
                  at,
                  query: vars,
                });
                navigation.go(buildPath(route, name, made.name));
              })
            }
          >
            <Icon name="plus" /> Trigger
          </button>
        </div>
      </header>
      {problem !== undefined && (
        <p class="banner" role="alert">
          {problem}
        </p>
      )}
      {builds.length === 0 ? (
        <p class="step-note">{from || to ? 'No builds in this range.' : 'This job has not run yet.'}</p>
      ) : (
        <BuildTable route={route} builds={builds} />
      )}
    </>
  );
}

function BuildTable({ route, builds }: { route: JobRoute; builds: readonly BuildAnswer[] }) {
  const oldest = builds.at(-1)?.id ?? 0;
  const page = (query: string) => {
    const path = jobPath(route, route.job);
    return `${path}${path.includes('?') ? '&' : '?'}${query}`;
  };
  return (
    <>
      <table class="builds">
        <thead>
          <tr>
            <th scope="col">Build</th>
            <th scope="col">Status</th>
            <th scope="col">Took</th>
            <th scope="col">Started</th>
            <th scope="col">By</th>
          </tr>
        </thead>
        <tbody>
          {builds.map((build) => (
            <tr key={build.id} data-build-name={build.name}>
              <td>
                <a class="number" href={buildPath(route, route.job, build.name)}>
                  #{build.name}
                </a>
              </td>
              <td>
                <StatusMark mark={build.status} /> {wordFor(build.status)}
              </td>
              <td>{build.start_time !== undefined && <Lasting from={build.start_time} to={build.end_time} />}</td>
              <td>{build.start_time !== undefined && <Ago at={build.start_time} />}</td>
              <td>{build.created_by ?? 'new versions'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="pages">
        {(route.to || route.from) && <a href={jobPath(route, route.job)}>Newest</a>}
        {builds.length === PAGE && <a href={page(`to=${oldest - 1}`)}>Older</a>}
      </p>
    </>
  );
}
