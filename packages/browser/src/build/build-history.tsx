import type { BuildAnswer } from '@seaplane/api/answers';
import { StatusMark } from '../parts/status-mark.tsx';
import { buildPath, type PipelineRef } from '../routes/routes.ts';

interface BuildHistoryProps {
  readonly history: readonly BuildAnswer[];
  readonly current: number;
  readonly of: PipelineRef;
}

/** The builds of the job, newest first. */
export function BuildHistory({ history, current, of }: BuildHistoryProps) {
  return (
    <nav class="build-history" aria-label="Builds of this job">
      <ul id="builds">
        {history.map(({ id, name, status, job_name: job = '' }) => (
          <li key={id}>
            <a href={buildPath(of, job, name)} aria-current={id === current ? 'page' : undefined}>
              <StatusMark mark={status} />
              <span class="number">#{name}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
