import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { pipelinePath } from '../routes/routes.ts';
import { refOfView } from './pipeline-card.tsx';
import type { PipelineView } from './pipeline-status.ts';
import { varsText } from './vars-text.ts';

interface GroupCardProps {
  readonly name: string;
  readonly team: string;
  readonly views: readonly PipelineView[];
  readonly isRow: boolean;
}

/** All instances of one pipeline: a mark for each. The name leads to their own cards. */
export function GroupCard({ name, team, views, isRow }: GroupCardProps) {
  const href = `/?search=${encodeURIComponent(`team:"${team}" group:"${name}"`)}`;
  return (
    <div class="card-wrapper">
      <article class={`card card-group${isRow ? ' row' : ''}`} data-pipeline-name={name}>
        <h3>
          <span class="count">{views.length}</span>
          <a class="dashboard-pipeline-name" href={href}>
            {name}
          </a>
        </h3>
        <div class="preview">
          {views.map((view) => (
            <Instance key={view.pipeline.id} view={view} />
          ))}
        </div>
        <footer>
          <div class="words">{views.length === 1 ? '1 instance' : `${views.length} instances`}</div>
        </footer>
      </article>
    </div>
  );
}

function Instance({ view }: { view: PipelineView }) {
  const mark = view.isRunning && view.status !== 'paused' ? 'started' : view.status;
  const label = `${varsText(view.pipeline.instance_vars ?? {})}: ${wordFor(mark)}`;
  return (
    <a class="job-cell" href={pipelinePath(refOfView(view))} title={label}>
      <StatusMark mark={mark} label={label} />
    </a>
  );
}
