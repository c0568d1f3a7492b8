import { instanceVarsQuery } from '@seaplane/config/instance-vars';
import { useState } from 'preact/hooks';
import { Ago } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { type PipelineRef, pipelinePath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import type { Favourites } from './favourites.ts';
import { JobPreview } from './job-preview.tsx';
import type { PipelineView } from './pipeline-status.ts';
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
    <div class="card-wrapper">
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
    </div>
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
  const [isBusy, setBusy] = useState(false);
  const { pipeline } = view;
  const mayPause = session.may(of.team, 'pipeline-operator') && !pipeline.archived;
  const isFavourite = actions.favourites.ids.value.has(pipeline.id);
  const verb = pipeline.paused ? 'unpause' : 'pause';

  async function togglePause(): Promise<void> {
    setBusy(true);
    try {
      const at = { team: of.team, pipeline: of.pipeline };
      await session.client.put(`PUT /api/v1/teams/:team/pipelines/:pipeline/${verb}`, { at, query: of.vars });
      actions.onChange();
    } catch (error) {
      actions.onProblem((error as Error).message);
    }
    setBusy(false);
  }

  return (
    <div class="card-actions">
      {pipeline.public && (
        <span class="public" title="Everybody can see this pipeline">
          <Icon name="globe" />
        </span>
      )}
      <button
        type="button"
        class="quiet"
        disabled={!mayPause || isBusy}
        onClick={() => void togglePause()}
        title={mayPause ? `${verb} ${pipeline.name}` : `Your role does not allow you to ${verb} this pipeline`}
        aria-label={`${verb} ${pipeline.name}`}
      >
        <Icon name={pipeline.paused ? 'play' : 'pause'} />
      </button>
      <button
        type="button"
        class={isFavourite ? 'quiet starred' : 'quiet'}
        onClick={() => actions.favourites.toggle(pipeline.id)}
        aria-pressed={isFavourite}
        title={isFavourite ? 'No favourite any more' : 'Favourite'}
        aria-label={`Favourite ${pipeline.name}`}
      >
        <Icon name="star" isFilled={isFavourite} />
      </button>
    </div>
  );
}
