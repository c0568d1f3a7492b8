import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { markOf } from '../dashboard/job-preview.tsx';
import { ActionButton } from '../parts/action-button.tsx';
import { Ago } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { Failed, Loading, Outdated } from '../parts/message.tsx';
import { Problem } from '../parts/problem.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { useTitle } from '../parts/title.ts';
import { useAction } from '../parts/use-action.ts';
import type { Navigation } from '../routes/navigation.ts';
import { buildPath, jobPath, type Route } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { type BuildActions, BuildTable } from './build-table.tsx';
import { ClearTaskCache } from './clear-task-cache.tsx';
import { startReasons } from './start-reasons.ts';
import { Waiting } from './waiting.tsx';

const PAGE = 100;
const JOB = '/api/v1/teams/:team/pipelines/:pipeline/jobs/:job';
type JobRoute = Extract<Route, { page: 'job' }>;

/** A job and its builds, newest first. */
export function JobPage({ route, navigation }: { route: JobRoute; navigation: Navigation }) {
  const session = useSession();
  const { client } = session;
  const { team, pipeline, job: name, vars, from, to } = route;
  const call = { at: { team, pipeline, job: name }, query: vars };
  const range = new URLSearchParams({ limit: String(PAGE), ...(from && { from }), ...(to && { to }) }).toString();
  const query = vars === '' ? range : `${vars}&${range}`;
  const polled = usePolled(
    JSON.stringify(route),
    async (signal) => {
      const [job, builds] = await Promise.all([
        client.get(`GET ${JOB}`, call, signal),
        client.getPage(`GET ${JOB}/builds`, { at: call.at, query }, signal),
      ]);
      return { job, builds };
    },
    { isAbout: ({ pipelines }, { job }) => pipelines?.includes(job.pipeline_id) === true },
  );
  const action = useAction(() => polled.refresh());
  const [isClearing, setClearing] = useState(false);
  useTitle(name);
  const { value, error } = polled.loaded.value;
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  const { job, builds } = value;
  const reason = session.whyNot(team, 'pipeline-operator');
  const reasons = startReasons(job, reason);
  const actions: BuildActions = {
    reason,
    rerunReason: reasons.rerun,
    abort: ({ id }) => action.run(() => client.put('PUT /api/v1/builds/:build/abort', { at: { build: String(id) } })),
    rerun: (build) =>
      action.runOnce(async () => {
        const at = { ...call.at, build: build.name };
        const made = await client.post(`POST ${JOB}/builds/:build`, { at, query: vars });
        navigation.go(buildPath(route, name, made.name));
      }),
  };
  const trigger = () =>
    action.runOnce(async () => {
      const made = await client.post(`POST ${JOB}/builds`, call);
      navigation.go(buildPath(route, name, made.name));
    });
  const verb = job.paused ? 'unpause' : 'pause';
  const page = (neighbour: string) => {
    const path = jobPath(route, name);
    return `${path}${path.includes('?') ? '&' : '?'}${neighbour}`;
  };
  return (
    <>
      <header class="build-header">
        <StatusMark mark={markOf(job)} size={28} />
        <div class="build-name">
          <h1>{name}</h1>
          <p class="soft">
            {wordFor(markOf(job))}
            {job.paused && job.paused_by ? ` by ${job.paused_by}` : ''}
            {job.paused && job.paused_at !== undefined && (
              <>
                {' '}
                <Ago at={job.paused_at} />
              </>
            )}
            {job.has_new_inputs ? ', new versions are there' : ''}
          </p>
        </div>
        <div class="build-actions">
          <ActionButton
            class="quiet"
            label="Clear task cache"
            title="Empty the caches of a task of this job"
            reason={reason}
            onClick={() => setClearing(true)}
          >
            Clear task cache
          </ActionButton>
          <ActionButton
            label={job.paused ? 'Unpause' : 'Pause'}
            reason={reason}
            onClick={() => action.run(() => client.put(`PUT ${JOB}/${verb}`, call))}
          >
            <Icon name={job.paused ? 'play' : 'pause'} /> {job.paused ? 'Unpause' : 'Pause'}
          </ActionButton>
          <ActionButton
            class="primary"
            label="Trigger"
            title="Start a new build"
            reason={reasons.trigger}
            onClick={trigger}
          >
            <Icon name="plus" /> Trigger
          </ActionButton>
        </div>
      </header>
      <Problem of={action} />
      <Outdated error={error} />
      <Waiting of={route} job={name} />
      {builds.items.length === 0 ? (
        <p class="step-note">{from || to ? 'No builds in this range.' : 'This job has not run yet.'}</p>
      ) : (
        <BuildTable of={route} job={name} builds={builds.items} actions={actions} />
      )}
      <nav class="pages" aria-label="Pages of builds">
        {builds.newer !== undefined && <a href={jobPath(route, name)}>Newest</a>}
        {builds.newer !== undefined && <a href={page(builds.newer)}>Newer</a>}
        {builds.older !== undefined && <a href={page(builds.older)}>Older</a>}
      </nav>
      {isClearing && <ClearTaskCache of={route} job={name} onClose={() => setClearing(false)} />}
    </>
  );
}
