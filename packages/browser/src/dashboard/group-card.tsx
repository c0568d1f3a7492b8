import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { pipelinePath } from '../routes/routes.ts';
import type { Favourites } from './favourites.ts';
import { groupPath } from './group-path.ts';
import { refOfView } from './pipeline-card.tsx';
import type { PipelineView } from './pipeline-status.ts';
import { StarButton } from './star-button.tsx';
import { varsText } from './vars-text.ts';

interface GroupCardProps {
  readonly name: string;
  readonly team: string;
  readonly views: readonly PipelineView[];
  readonly favourites: Favourites;
  readonly isRow: boolean;
}

/** All instances of one pipeline: a mark for each. The name leads to their own cards. */
export function GroupCard({ name, team, views, favourites, isRow }: GroupCardProps) {
  return (
    <article class={`card card-group${isRow ? ' row' : ''}`} data-pipeline-name={name}>
      <h3>
        <span class="count">{views.length}</span>
        <a class="dashboard-pipeline-name" href={groupPath(team, name)}>
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
        <div class="card-actions">
          <StarButton
            name={name}
            isOn={favourites.hasGroup(team, name)}
            onToggle={() => favourites.toggleGroup(team, name)}
          />
        </div>
      </footer>
    </article>
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
