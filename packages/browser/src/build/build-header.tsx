import type { BuildAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { Ago, Lasting } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../parts/keys.ts';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import type { Navigation } from '../routes/navigation.ts';
import { buildPath, jobPath, type PipelineRef } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { BuildProgress } from './build-progress.tsx';
import { concourseColour } from './concourse-colour.ts';

interface BuildHeaderProps {
  readonly build: BuildAnswer;
  readonly history: readonly BuildAnswer[];
  /** Undefined for a build without a job. */
  readonly of: PipelineRef | undefined;
  readonly navigation: Navigation;
  readonly onChange: () => void;
  readonly onProblem: (message: string | undefined) => void;
}

/** The name and the status of a build, and what can be done with it. */
export function BuildHeader({ build, history, of, navigation, onChange, onProblem }: BuildHeaderProps) {
  const session = useSession();
  const [isBusy, setBusy] = useState(false);
  const mayAct = session.may(build.team_name, 'pipeline-operator');
  const isRunning = build.status === 'pending' || build.status === 'started';
  const job = build.job_name;
  const jobAt = { team: build.team_name, pipeline: build.pipeline_name ?? '', job: job ?? '' };

  async function act(action: () => Promise<BuildAnswer | undefined>): Promise<void> {
    if (!mayAct || isBusy) return;
    setBusy(true);
    onProblem(undefined);
    try {
      const made = await action();
      if (made && of && job !== undefined) navigation.go(buildPath(of, job, made.name));
      else onChange();
    } catch (error) {
      onProblem((error as Error).message);
    }
    setBusy(false);
  }

  const query = of?.vars ?? '';
  const abort = () =>
    act(async () => {
      await session.client.put('PUT /api/v1/builds/:build/abort', { at: { build: String(build.id) } });
      return undefined;
    });
  const trigger = () =>
    act(() =>
      session.client.post('POST /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds', { at: jobAt, query }),
    );
  const rerun = () =>
    act(() =>
      session.client.post('POST /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build', {
        at: { ...jobAt, build: build.name },
        query,
      }),
    );
  const at = history.findIndex(({ id }) => id === build.id);
  const goTo = (index: number) => {
    const other = history[index];
    if (of && other && job !== undefined) navigation.go(buildPath(of, job, other.name));
  };
  useKeys({
    h: () => goTo(at - 1),
    l: () => goTo(at + 1),
    T: () => void (of && trigger()),
    R: () => void (of && !isRunning && rerun()),
    A: () => void (isRunning && abort()),
  });
  const reason = mayAct ? undefined : 'Your role does not allow this';
  return (
    <header class={`build-header build-${build.status}`} style={concourseColour(build.status)}>
      <StatusMark mark={build.status} size={28} />
      <div class="build-name">
        <h1>
          {of && job !== undefined ? <a href={jobPath(of, job)}>{job}</a> : (job ?? build.resource_name ?? 'build')}
          <span class="number build-number">#{build.name}</span>
        </h1>
        <p class="soft">
          {wordFor(build.status)}
          {build.start_time !== undefined && (
            <>
              {', '}
              <Lasting from={build.start_time} to={build.end_time} />, started <Ago at={build.start_time} />
            </>
          )}
          <BuildProgress build={build} history={history} />
          {build.created_by ? `, by ${build.created_by}` : ''}
          {build.rerun_of ? `, rerun of #${build.rerun_of.name}` : ''}
        </p>
        {build.comment && <p class="comment">{build.comment}</p>}
      </div>
      <div class="build-actions">
        {isRunning ? (
          <button
            type="button"
            aria-label="Abort Build"
            disabled={!mayAct || isBusy}
            title={reason ?? 'Abort (A)'}
            onClick={() => void abort()}
          >
            <Icon name="stop" /> Abort
          </button>
        ) : (
          of && (
            <button
              type="button"
              aria-label="Rerun Build"
              disabled={!mayAct || isBusy}
              title={reason ?? 'Rerun with the same inputs (R)'}
              onClick={() => void rerun()}
            >
              <Icon name="again" /> Rerun
            </button>
          )
        )}
        {of && (
          <button
            type="button"
            class="primary"
            aria-label="Trigger Build"
            disabled={!mayAct || isBusy}
            title={reason ?? 'Start a new build (T)'}
            onClick={() => void trigger()}
          >
            <Icon name="plus" /> Trigger
          </button>
        )}
      </div>
    </header>
  );
}
