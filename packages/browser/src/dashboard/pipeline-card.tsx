import { instanceVarsQuery } from '@seaplane/config/instance-vars';
import { ActionButton } from '../parts/action-button.tsx';
import { Ago } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { useAction } from '../parts/use-action.ts';
import { type PipelineRef, pipelinePath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import type { Favourites } from './favourites.ts';
import { JobPreview } from './job-preview.tsx';
import type { PipelineView } from './pipeline-status.ts';
import { StarButton } from './star-button.tsx';
import { varsText } from './vars-text.ts';

export interface CardActions {
  readonly favourites: Favourites;
  /** Called after a change, so that the lists are read again. */
  readonly onChange: () => void;
  readonly onProblem: (message: string) => void;
}

export function refOfView({ pipeline }: PipelineView): PipelineRef {
  return { team: pipeline.team_name, pipeline: pipeline.name, vars: instanceVarsQuery(pipeline.instance_vars) };
}

/** One pipeline: its name, its jobs, and its status in words. */
export function PipelineCard({ view, actions, isRow }: { view: PipelineView; actions: CardActions; isRow: boolean }) {
  const { pipeline, status, jobs } = view;
  const ref = refOfView(view);
  return (
    <article class={`card card-${status}${isRow ? ' row' : ''}`} data-pipeline-name={pipeline.name}>
      <h3>
        <StatusMark mark={view.isRunning && status !== 'paused' ? 'started' : status} />
        <a class="dashboard-pipeline-name" href={pipelinePath(ref)}>
          {pipeline.name}
        </a>
        {pipeline.instance_vars && <span class="vars">{varsText(pipeline.instance_vars)}</span>}
      </h3>
      <JobPreview jobs={jobs} of={ref} />
      <footer>
        <Words view={view} />
        <Actions view={view} of={ref} actions={actions} />
      </footer>
    </article>
  );
}

function Words({ view: { status, since, isRunning, failingChecks, pipeline } }: { view: PipelineView }) {
  return (
    <div class="words">
      <span>
        {isRunning && status !== 'paused' ? 'running, ' : ''}
        {wordFor(status)}
        {since !== undefined && (
          <>
            {' '}
            <Ago at={since} />
          </>
        )}
        {status === 'paused' && pipeline.paused_by ? ` by ${pipeline.paused_by}` : ''}
      </span>
      {failingChecks.length > 0 && (
        <span class="check-fails" title={failingChecks.join(', ')}>
          {failingChecks.length === 1 ? `check of ${failingChecks[0]} fails` : `${failingChecks.length} checks fail`}
        </span>
      )}
    </div>
  );
}

function Actions({ view, of, actions }: { view: PipelineView; of: PipelineRef; actions: CardActions }) {
  const session = useSession();
  const action = useAction(actions.onChange, actions.onProblem);
  const { pipeline } = view;
  const verb = pipeline.paused ? 'unpause' : 'pause';
  const show = pipeline.public ? 'hide' : 'expose';

  const change = (word: typeof verb | typeof show) =>
    action.run(() => {
      const at = { team: of.team, pipeline: of.pipeline };
      return session.client.put(`PUT /api/v1/teams/:team/pipelines/:pipeline/${word}`, { at, query: of.vars });
    });

  return (
    <div class="card-actions">
      <ActionButton
        class="quiet"
        label={`${verb} ${pipeline.name}`}
        title={`${verb} ${pipeline.name}`}
        reason={pipeline.archived ? 'The pipeline is archived' : session.whyNot(of.team, 'pipeline-operator')}
        // Concourse's own browser tests find the button by the name of its icon.
        style={{ '--concourse-icon': pipeline.paused ? 'ic-play' : 'ic-pause' }}
        onClick={() => change(verb)}
      >
        <Icon name={pipeline.paused ? 'play' : 'pause'} />
      </ActionButton>
      <ActionButton
        class="quiet"
        label={`${show} ${pipeline.name}`}
        title={pipeline.public ? 'Everybody can see it: hide it' : 'Only the team can see it: let everybody see it'}
        reason={session.whyNot(of.team, 'member')}
        onClick={() => change(show)}
      >
        <Icon name={pipeline.public ? 'eye' : 'hidden'} />
      </ActionButton>
      <StarButton
        name={pipeline.name}
        isOn={actions.favourites.has(pipeline)}
        onToggle={() => actions.favourites.toggle(pipeline.id)}
      />
    </div>
  );
}
