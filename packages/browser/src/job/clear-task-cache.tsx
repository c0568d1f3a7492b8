import { useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { removedText } from '../parts/removed-text.ts';
import type { PipelineRef } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';
import { taskNames } from './task-names.ts';

const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';

interface ClearTaskCacheProps {
  readonly of: PipelineRef;
  readonly job: string;
  readonly onClose: () => void;
}

/** Empties the directories that a task keeps between its builds. */
export function ClearTaskCache({ of: { team, pipeline, vars }, job, onClose }: ClearTaskCacheProps) {
  const { client } = useSession();
  const call = { at: { team, pipeline }, query: vars };
  const polled = usePolled(`tasks ${JSON.stringify([call, job])}`, async (signal) => {
    const { config } = await client.get(`GET ${PIPELINE}/config`, call, signal);
    return taskNames(config, job);
  });
  const [chosen, setChosen] = useState<string>();
  const { value: tasks = [], error } = polled.loaded.value;
  const task = chosen ?? tasks[0];
  return (
    <ConfirmDialog
      title={`Clear the caches of a task of ${job}`}
      verb="Clear the caches"
      reason={task === undefined ? 'There is no task to choose' : undefined}
      onClose={onClose}
      onConfirm={async () => {
        const at = { ...call.at, job, step: task ?? '' };
        const path = `DELETE ${PIPELINE}/jobs/:job/tasks/:step/cache` as const;
        return removedText((await client.delete(path, { at, query: vars })).caches_removed, 'cache');
      }}
    >
      <p>The task finds the directories of its caches empty when it runs next.</p>
      {error && <p class="step-error">{error.message}</p>}
      <p class="dialog-line">
        <label>
          Task{' '}
          <select value={task} onChange={(event) => setChosen(event.currentTarget.value)}>
            {tasks.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </p>
    </ConfirmDialog>
  );
}
