import type { BuildAnswer, JobAnswer } from '@seaplane/api/answers';
import { useEffect, useState } from 'preact/hooks';
import { startReasons } from '../job/start-reasons.ts';
import { ActionButton } from '../parts/action-button.tsx';
import { Ago, Lasting } from '../parts/clock.tsx';
import { CommentForm } from '../parts/comment-form.tsx';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../parts/keys.ts';
import { LinkedText } from '../parts/linked-text.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import type { Action } from '../parts/use-action.ts';
import type { Navigation } from '../routes/navigation.ts';
import { buildPath, jobPath, type PipelineRef } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { BuildProgress } from './build-progress.tsx';
import { concourseColour } from './concourse-colour.ts';

/** As in Concourse. */
const SCROLL_PX = 60;

interface BuildHeaderProps {
  readonly build: BuildAnswer;
  readonly history: readonly BuildAnswer[];
  /** The job as it is configured now. Undefined if it is gone. */
  readonly job: JobAnswer | undefined;
  /** Undefined for a build without a job. */
  readonly of: PipelineRef | undefined;
  readonly navigation: Navigation;
  readonly action: Action;
  readonly onAbort: () => void;
}

/** The name and the status of a build, and what can be done with it. */
export function BuildHeader({ build, history, job: config, of, navigation, action, onAbort }: BuildHeaderProps) {
  const session = useSession();
  const reason = session.whyNot(build.team_name, 'pipeline-operator');
  const reasons = startReasons(config, reason);
  const isRunning = isUnderWay(build);
  const job = build.job_name;
  const jobAt = { team: build.team_name, pipeline: build.pipeline_name ?? '', job: job ?? '' };

  const query = of?.vars ?? '';
  /** Makes a build, and goes to it. */
  const make = (send: () => Promise<BuildAnswer>) =>
    action.runOnce(async () => {
      const { name } = await send();
      if (of && job !== undefined) navigation.go(buildPath(of, job, name));
    });
  const trigger = () =>
    make(() =>
      session.client.post('POST /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds', { at: jobAt, query }),
    );
  const rerun = () =>
    make(() =>
      session.client.post('POST /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build', {
        at: { ...jobAt, build: build.name },
        query,
      }),
    );
  const [isCommenting, setIsCommenting] = useState(false);
  useEffect(() => setIsCommenting(false), [build.id]);
  const comment = (text: string) => {
    setIsCommenting(false);
    const body = { comment: text };
    action.run(() =>
      session.client.put('PUT /api/v1/builds/:build/comment', { at: { build: String(build.id) }, body }),
    );
  };
  const at = history.findIndex(({ id }) => id === build.id);
  const goTo = (index: number) => {
    const other = history[index];
    if (of && other && job !== undefined) navigation.go(buildPath(of, job, other.name));
  };
  useKeys({
    h: () => goTo(at - 1),
    l: () => goTo(at + 1),
    T: () => reasons.trigger === undefined && of && trigger(),
    R: () => reasons.rerun === undefined && of && !isRunning && rerun(),
    A: () => reason === undefined && isRunning && onAbort(),
    j: () => window.scrollBy(0, SCROLL_PX),
    k: () => window.scrollBy(0, -SCROLL_PX),
  });
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
        {reason === undefined && isCommenting ? (
          <CommentForm
            label="Comment on the build"
            placeholder="A note on this build, for others"
            comment={build.comment ?? ''}
            onSave={comment}
          />
        ) : (
          build.comment && (
            <p class="comment">
              <LinkedText text={build.comment} />
            </p>
          )
        )}
      </div>
      <div class="build-actions">
        <ActionButton
          class="quiet"
          label="Comment"
          title="Write a comment on this build"
          reason={reason}
          isOn={isCommenting}
          onClick={() => setIsCommenting(!isCommenting)}
        >
          <Icon name="comment" />
        </ActionButton>
        {isRunning ? (
          <ActionButton label="Abort Build" title="Abort (A)" reason={reason} onClick={onAbort}>
            <Icon name="stop" /> Abort
          </ActionButton>
        ) : (
          of && (
            <ActionButton
              label="Rerun Build"
              title="Rerun with the same inputs (R)"
              reason={reasons.rerun}
              onClick={rerun}
            >
              <Icon name="again" /> Rerun
            </ActionButton>
          )
        )}
        {of && (
          <ActionButton
            class="primary"
            label="Trigger Build"
            title="Start a new build (T)"
            reason={reasons.trigger}
            onClick={trigger}
          >
            <Icon name="plus" /> Trigger
          </ActionButton>
        )}
      </div>
    </header>
  );
}

export function isUnderWay({ status }: BuildAnswer): boolean {
  return status === 'pending' || status === 'started';
}
