import type {
  BuildAnswer,
  BuildInputAnswer,
  BuildPlanAnswer,
  BuildPreparationAnswer,
  JobAnswer,
} from '@seaplane/api/answers';
import { instanceVarsQuery } from '@seaplane/config/instance-vars';
import type { BuildStatus } from '@seaplane/engine/events';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RefusedError } from '../api/client.ts';
import { mayHavePlan } from '../api/first-requests.ts';
import { type Follows, type Load, usePolled } from '../api/polled.ts';
import { Waiting } from '../job/waiting.tsx';
import { useFavicon } from '../parts/favicon.ts';
import { Failed, Loading, Outdated } from '../parts/message.tsx';
import { Problem } from '../parts/problem.tsx';
import { useTitle } from '../parts/title.ts';
import { useAction } from '../parts/use-action.ts';
import type { Navigation } from '../routes/navigation.ts';
import type { PipelineRef, Route } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { type EnteredStep, TerminalPanel } from '../terminal/terminal-panel.tsx';
import { BuildHeader, isUnderWay } from './build-header.tsx';
import { BuildHistory } from './build-history.tsx';
import { BuildStream } from './build-stream.ts';
import { EventsAhead } from './events-ahead.ts';
import { type History, historyAround } from './history.ts';
import { Preparation } from './preparation.tsx';
import { SlimHead } from './slim-head.tsx';
import { StepList } from './step-list.tsx';
import type { LeafStep } from './steps.ts';
import { TimelineView } from './timeline/timeline-view.tsx';

const JOB = '/api/v1/teams/:team/pipelines/:pipeline/jobs/:job';
type BuildRoute = Extract<Route, { page: 'build' | 'one-off' }>;

interface Details {
  readonly build: BuildAnswer;
  readonly history: History;
  readonly job?: JobAnswer;
  /** The versions that the build got. */
  readonly inputs?: readonly BuildInputAnswer[];
  /** Undefined until the build has started, or if its user may not see it. */
  readonly plan?: BuildPlanAnswer;
  readonly preparation?: BuildPreparationAnswer;
}

/** Nobody announces what a pending build waits for. */
const FOLLOWS: Follows<Details> = {
  isAbout: ({ pipelines, teams }, { build }) =>
    (build.pipeline_id !== undefined && pipelines?.includes(build.pipeline_id) === true) ||
    teams?.includes(build.team_name) === true,
  isMoving: ({ build }) => build.status === 'pending',
};

/** A build: what it waits for, its steps and their logs as they come, and the other builds of its job. */
export function BuildPage({ route, navigation }: { route: BuildRoute; navigation: Navigation }) {
  const session = useSession();
  const { client } = session;
  // Another view is of the same build.
  const { view, ...of } = route;
  const key = JSON.stringify(of);
  const ahead = useMemo(() => new EventsAhead(client), [key]);
  useEffect(() => () => ahead.close(), [ahead]);
  const load: Load<Details> = (signal, show) => loadDetails({ client, ahead, signal, show }, route);
  const polled = usePolled(key, load, FOLLOWS);
  const { value, error } = polled.loaded.value;
  const plan = value?.plan;
  const buildId = value?.build.id;
  const known = useRef(value?.build.status);
  known.current = value?.build.status;
  // A plan never changes once it is there.
  const stream = useMemo(() => {
    if (!plan || buildId === undefined) return undefined;
    // The events of a build that has ended repeat what is known.
    const onStatus = (status: BuildStatus) => status !== known.current && polled.refresh();
    return new BuildStream(ahead.ask(buildId), plan, onStatus);
  }, [buildId, plan === undefined]);
  useEffect(() => () => stream?.close(), [stream]);
  useFavicon(value?.build.status);
  useTitle(value && `${value.build.job_name ?? 'build'} #${value.build.name}`);
  const action = useAction(() => polled.refresh());
  const [entered, setEntered] = useState<EnteredStep>();
  useEffect(() => setEntered(undefined), [buildId]);
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  const { build, history, preparation, job, inputs } = value;
  const ref = refOf(build);
  const enter = ({ id: plan, type, name }: LeafStep) =>
    setEntered({ team: build.team_name, buildId: build.id, plan, type, name });
  const abort = () =>
    action.run(() => client.put('PUT /api/v1/builds/:build/abort', { at: { build: String(build.id) } }));
  const whyNoAbort = session.whyNot(build.team_name, 'pipeline-operator');
  return (
    <>
      <BuildHeader {...{ build, job, navigation, action }} history={history.builds} of={ref} onAbort={abort} />
      <Problem of={action} />
      <Outdated error={error} />
      {stream?.isCut.value && client.reach.lostSince.value === undefined && (
        <p class="banner">The connection to the log is lost. The page connects again by itself.</p>
      )}
      <div class="build-body" data-build-name={build.name}>
        {ref && <BuildHistory history={history} current={build} of={ref} />}
        <div class="build-steps">
          {isUnderWay(build) && <SlimHead build={build} reason={whyNoAbort} onAbort={abort} />}
          {build.status === 'pending' && ref && build.job_name !== undefined && (
            <Waiting of={ref} job={build.job_name} build={build.id} />
          )}
          {build.status === 'pending' && preparation && <Preparation preparation={preparation} />}
          {build.reap_time !== undefined && <p class="step-note">The log of this build was deleted.</p>}
          {stream && <ViewLinks view={view} />}
          {stream && view === 'timeline' && <TimelineView stream={stream} isEnded={build.end_time !== undefined} />}
          {stream && view === undefined && (
            <StepList
              {...{ stream, navigation, inputs }}
              of={ref}
              isEnded={build.end_time !== undefined}
              isGreen={build.status === 'succeeded'}
              entrance={{ buildId: build.id, whyNot: session.whyNot(build.team_name, 'member'), open: enter }}
            />
          )}
          {!stream && build.status !== 'pending' && <p class="step-note">This build has no steps to show.</p>}
        </div>
      </div>
      {entered && <TerminalPanel step={entered} onClose={() => setEntered(undefined)} />}
    </>
  );
}

function ViewLinks({ view }: { view: BuildRoute['view'] }) {
  const href = (name: string | undefined) => {
    const query = new URLSearchParams(location.search);
    query.delete('view');
    if (name !== undefined) query.set('view', name);
    return query.size === 0 ? location.pathname : `${location.pathname}?${query}`;
  };
  return (
    <nav class="view-links" aria-label="Views of this build">
      <a href={href(undefined)} aria-current={view === undefined ? 'page' : undefined}>
        Log
      </a>
      <a href={href('timeline')} aria-current={view === 'timeline' ? 'page' : undefined}>
        Timeline
      </a>
    </nav>
  );
}

type Client = ReturnType<typeof useSession>['client'];

interface Asking {
  readonly client: Client;
  readonly ahead: EventsAhead;
  readonly signal: AbortSignal;
  readonly show: (details: Details) => void;
}

async function loadDetails(asking: Asking, route: BuildRoute): Promise<Details> {
  const { client, ahead, signal, show } = asking;
  const asked = route.page === 'build' ? loadAround(asking, route, route.job) : undefined;
  asked?.catch(() => {}); // a build that is not found says more
  const build = await loadBuild(client, route, signal);
  const ref = refOf(build);
  const loaded = asked ?? (ref && build.job_name !== undefined ? loadAround(asking, ref, build.job_name) : undefined);
  const ofJob = loaded?.then(({ newest, job, ask }) => withHistory(historyAround(newest, build, ask), job)) ?? NO_JOB;
  const at = { build: String(build.id) };
  if (build.status === 'pending') {
    const [around, preparation] = await Promise.all([
      ofJob,
      client.get('GET /api/v1/builds/:build/preparation', { at }, signal).catch(orNothing),
    ]);
    return { build, ...around, ...(preparation && { preparation }) };
  }
  // In the order in which the page needs them: the first lines wait for the plan, and nothing waits for the versions.
  const hasPlan = mayHavePlan(build);
  const askedPlan = hasPlan ? client.get('GET /api/v1/builds/:build/plan', { at }, signal).catch(orNothing) : undefined;
  if (hasPlan) ahead.ask(build.id);
  const versions = client.get('GET /api/v1/builds/:build/resources', { at }, signal).catch(orNothing);
  versions.catch(() => {}); // heard of below
  const [around, plan] = await Promise.all([ofJob, askedPlan]);
  if (!plan) ahead.close();
  const details: Details = { build, ...around, ...(plan && { plan }) };
  show(details);
  const resources = await versions;
  return { ...details, ...(resources && { inputs: resources.inputs }) };
}

async function loadBuild(client: Client, route: BuildRoute, signal: AbortSignal): Promise<BuildAnswer> {
  if (route.page === 'one-off') return client.get('GET /api/v1/builds/:build', { at: { build: route.id } }, signal);
  const { team, pipeline, job, build, vars } = route;
  if (build === 'latest') {
    const query = [vars, 'limit=1'].filter(Boolean).join('&');
    const [latest] = await client.get(`GET ${JOB}/builds`, { at: { team, pipeline, job }, query }, signal);
    if (!latest) throw new RefusedError(404, 'This job has not run yet.');
    return latest;
  }
  const call = { at: { team, pipeline, job, build }, query: vars };
  return client.get(`GET ${JOB}/builds/:build`, call, signal);
}

type Around = Pick<Details, 'history' | 'job'>;
const NO_JOB: Around = { history: { builds: [], hasNewer: false } };

async function withHistory(history: Promise<History>, job: JobAnswer | undefined): Promise<Around> {
  return { history: await history, ...(job && { job }) };
}

/** The job and its newest builds. `ask` asks for others of its builds. */
async function loadAround({ client, signal }: Asking, { team, pipeline, vars }: PipelineRef, jobName: string) {
  const at = { team, pipeline, job: jobName };
  const ask = (range: string) =>
    client.getPage(`GET ${JOB}/builds`, { at, query: [vars, range].filter(Boolean).join('&') }, signal);
  const [newest, job] = await Promise.all([
    ask(''),
    client.get(`GET ${JOB}`, { at, query: vars }, signal).catch(orNothing),
  ]);
  return { newest, job, ask };
}

/** The pipeline of a build. A one-off build has none, and the build of a check has no job. */
function refOf(build: BuildAnswer): PipelineRef | undefined {
  const { team_name: team, pipeline_name: pipeline, job_name: job, pipeline_instance_vars: vars } = build;
  if (pipeline === undefined || job === undefined) return undefined;
  return { team, pipeline, vars: instanceVarsQuery(vars) };
}

/** A page shows what its user may see. */
function orNothing(error: unknown): undefined {
  if (error instanceof RefusedError && [401, 403, 404].includes(error.status)) return undefined;
  throw error;
}
