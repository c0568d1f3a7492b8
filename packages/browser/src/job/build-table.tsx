import type { BuildAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { ActionButton } from '../parts/action-button.tsx';
import { BUILD_COLUMNS, BuildCells } from '../parts/build-cells.tsx';
import { Icon } from '../parts/icons.tsx';
import { Table } from '../parts/table.tsx';
import { toggled } from '../parts/toggled.ts';
import { buildPath, type PipelineRef } from '../routes/routes.ts';
import { BuildVersions } from './build-versions.tsx';

export interface BuildActions {
  /** Why the user may not abort a build. */
  readonly reason: string | undefined;
  /** Why the user may not run a build again. */
  readonly rerunReason: string | undefined;
  readonly abort: (build: BuildAnswer) => void;
  readonly rerun: (build: BuildAnswer) => void;
}

interface BuildTableProps {
  readonly of: PipelineRef;
  readonly job: string;
  readonly builds: readonly BuildAnswer[];
  readonly actions: BuildActions;
}

/** The builds of a job, each with the versions that it got and put on request. */
export function BuildTable({ of, job, builds, actions }: BuildTableProps) {
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set());
  return (
    <div class="job-builds">
      <Table columns={[...BUILD_COLUMNS, '.Actions']}>
        {builds.map((build) => (
          <Row
            key={build.id}
            path={buildPath(of, job, build.name)}
            build={build}
            actions={actions}
            isOpen={opened.has(build.id)}
            onToggle={() => setOpened(toggled(opened, build.id))}
          />
        ))}
      </Table>
    </div>
  );
}

interface RowProps {
  readonly path: string;
  readonly build: BuildAnswer;
  readonly actions: BuildActions;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}

function Row({ path, build, actions, isOpen, onToggle }: RowProps) {
  const isRunning = build.status === 'pending' || build.status === 'started';
  return (
    <>
      <tr data-build-name={build.name}>
        <td>
          <a class="number" href={path}>
            #{build.name}
          </a>
        </td>
        <BuildCells build={build} />
        <td class="row-actions">
          <button
            type="button"
            class="quiet"
            aria-expanded={isOpen}
            aria-label={`Versions of #${build.name}`}
            title="The versions that it got and put"
            onClick={onToggle}
          >
            <Icon name={isOpen ? 'down' : 'right'} /> <span class="action-word">versions</span>
          </button>
          {isRunning ? (
            <ActionButton
              class="quiet"
              label={`Abort #${build.name}`}
              title="Abort"
              reason={actions.reason}
              onClick={() => actions.abort(build)}
            >
              <Icon name="stop" />
            </ActionButton>
          ) : (
            <ActionButton
              class="quiet"
              label={`Rerun #${build.name}`}
              title="Rerun with the same versions"
              reason={actions.rerunReason}
              onClick={() => actions.rerun(build)}
            >
              <Icon name="again" />
            </ActionButton>
          )}
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={BUILD_COLUMNS.length + 1}>
            <BuildVersions id={build.id} />
          </td>
        </tr>
      )}
    </>
  );
}
