import type { JobSummaryAnswer, PipelineAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { markOf } from '../dashboard/job-preview.tsx';
import { Ago } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { Failed, Loading } from '../parts/message.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { useTitle } from '../parts/title.ts';
import { buildPath, jobPath, type PipelineRef, pipelinePath, type Route } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { PipelineGraph } from './pipeline-graph.tsx';

type PipelineRoute = Extract<Route, { page: 'pipeline' }>;

/** A pipeline: the graph of its jobs, and the same as a table. */
export function PipelinePage({ route }: { route: PipelineRoute }) {
  const session = useSession();
  const { client } = session;
  const { team, pipeline: name, vars } = route;
  const call = { at: { team, pipeline: name }, query: vars };
  const polled = usePolled(JSON.stringify([team, name, vars]), async (signal) => {
    const [pipeline, jobs] = await Promise.all([
      client.get('GET /api/v1/teams/:team/pipelines/:pipeline', call, signal),
      client.get('GET /api/v1/teams/:team/pipelines/:pipeline/jobs', call, signal),
    ]);
    return { pipeline, jobs };
  });
  const [problem, setProblem] = useState<string>();
  useTitle(name);
  const { value, error } = polled.loaded.value;
  if (!value) return error ? <Failed error={error} /> : <Loading />;
  const { pipeline, jobs } = value;
  const mayAct = session.may(team, 'pipeline-operator') && !pipeline.archived;
  const verb = pipeline.paused ? 'unpause' : 'pause';
  const groups = groupNames(pipeline);
  const chosen = route.groups.length > 0 ? route.groups : groups.slice(0, 1);
  const shown = chosen.length === 0 ? jobs : jobs.filter((job) => job.groups?.some((group) => chosen.includes(group)));

  async function togglePause(): Promise<void> {
    try {
      await client.put(`PUT /api/v1/teams/:team/pipelines/:pipeline/${verb}`, call);
      polled.refresh();
    } catch (failure) {
      setProblem((failure as Error).message);
    }
  }
  return (
    <>
      <header class="build-header">
        <div class="build-name">
          <h1>{name}</h1>
          <p class="soft">
            {pipeline.archived ? 'archived' : pipeline.paused ? 'paused' : 'active'}
            {pipeline.paused && pipeline.paused_by ? ` by ${pipeline.paused_by}` : ''}
            {pipeline.paused && pipeline.paused_at !== undefined && (
              <>
                {' '}
                <Ago at={pipeline.paused_at} />
              </>
            )}
            {pipeline.public ? ', everybody can see it' : ''}
          </p>
        </div>
        <div class="build-actions">
          <button
            type="button"
            disabled={!mayAct}
            title={mayAct ? undefined : 'Your role does not allow this'}
            onClick={() => void togglePause()}
          >
            <Icon name={pipeline.paused ? 'play' : 'pause'} /> {pipeline.paused ? 'Unpause' : 'Pause'}
          </button>
        </div>
      </header>
      {problem !== undefined && (
        <p class="banner" role="alert">
          {problem}
        </p>
      )}
      {groups.length > 0 && <Groups groups={groups} chosen={chosen} of={route} />}
      <PipelineGraph jobs={shown} of={route} />
      <JobTable jobs={shown} of={route} />
    </>
  );
}

function Groups({ groups, chosen, of }: { groups: readonly string[]; chosen: readonly string[]; of: PipelineRef }) {
  const href = (names: readonly string[]) => {
    const path = pipelinePath(of);
    const query = new URLSearchParams(names.map((name) => ['group', name])).toString();
    return `${path}${path.includes('?') ? '&' : '?'}${query}`;
  };
  const isAll = groups.every((name) => chosen.includes(name));
  return (
    <nav class="groups" aria-label="Groups">
      <a href={href(groups)} aria-current={isAll ? 'true' : undefined}>
        all
      </a>
      {groups.map((name) => (
        <a key={name} href={href([name])} aria-current={!isAll && chosen.includes(name) ? 'true' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

function JobTable({ jobs, of }: { jobs: readonly JobSummaryAnswer[]; of: PipelineRef }) {
  return (
    <table class="builds">
      <thead>
        <tr>
          <th scope="col">Job</th>
          <th scope="col">Status</th>
          <th scope="col">Newest build</th>
          <th scope="col">Ended</th>
        </tr>
      </thead>
      <tbody>
        {jobs.map((job) => {
          const build = job.next_build ?? job.finished_build;
          return (
            <tr key={job.id}>
              <td>
                <a href={jobPath(of, job.name)}>{job.name}</a>
              </td>
              <td>
                <StatusMark mark={markOf(job)} /> {wordFor(markOf(job))}
                {job.has_new_inputs ? ', new inputs' : ''}
              </td>
              <td>{build && <a href={buildPath(of, job.name, build.name)}>#{build.name}</a>}</td>
              <td>{job.finished_build?.end_time !== undefined && <Ago at={job.finished_build.end_time} />}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Groups come as the configuration has them. */
function groupNames({ groups }: PipelineAnswer): readonly string[] {
  if (!Array.isArray(groups)) return [];
  return groups.flatMap((group) => (typeof group?.['name'] === 'string' ? [group['name']] : []));
}
