import type { PipelineAnswer } from '@seaplane/api/answers';
import { useState } from 'preact/hooks';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import { useModal } from '../parts/use-modal.ts';
import type { Navigation } from '../routes/navigation.ts';
import { type PipelineRef, pipelinePath } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';

const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';

interface ManageDialogProps {
  readonly pipeline: PipelineAnswer;
  readonly of: PipelineRef;
  readonly navigation: Navigation;
  readonly onChange: () => void;
  readonly onClose: () => void;
}

/** Renames, archives or destroys a pipeline. Nobody loses one by accident: its name must be written. */
export function ManageDialog({ pipeline, of, navigation, onChange, onClose }: ManageDialogProps) {
  const { client } = useSession();
  const dialog = useModal();
  const [name, setName] = useState(of.pipeline);
  const [written, setWritten] = useState('');
  const action = useAction(() => {});
  const call = { at: { team: of.team, pipeline: of.pipeline }, query: of.vars };
  const isInstance = of.vars !== '';
  const isSure = written === of.pipeline;
  /** Without another page to go to, this one is asked for again. */
  const change = (send: () => Promise<void>, then?: string) =>
    action.runOnce(async () => {
      await send();
      dialog.current?.close();
      if (then === undefined) onChange();
      else navigation.go(then);
    });
  return (
    <dialog ref={dialog} class="help manage" onClose={onClose} aria-label={`Manage ${of.pipeline}`}>
      <h2>Manage {of.pipeline}</h2>
      <Problem of={action} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const rename = () => client.put(`PUT ${PIPELINE}/rename`, { at: call.at, body: { name } });
          change(rename, pipelinePath({ ...of, pipeline: name }));
        }}
      >
        <label>
          Name
          <input
            class="field"
            required={true}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
            autocomplete="off"
          />
        </label>
        <p class="soft">
          {isInstance && 'All instances of this name are renamed. '}
          The old name is no longer an address of the pipeline.
        </p>
        <p class="dialog-line">
          <button type="submit" disabled={name === '' || name === of.pipeline}>
            Rename
          </button>
        </p>
      </form>
      <section aria-label="Archive or destroy">
        <p>
          {!pipeline.archived && 'An archived pipeline never runs again until it is set again; its builds stay. '}A
          destroyed pipeline is gone, with its builds and their logs.
          {isInstance && ' Other instances of this name stay as they are.'}
        </p>
        <label>
          Write <strong>{of.pipeline}</strong> to go on
          <input
            class="field"
            value={written}
            onInput={(event) => setWritten(event.currentTarget.value)}
            autocomplete="off"
          />
        </label>
        <p class="dialog-line">
          {!pipeline.archived && (
            <button
              type="button"
              disabled={!isSure}
              onClick={() => change(() => client.put(`PUT ${PIPELINE}/archive`, call))}
            >
              Archive
            </button>
          )}
          <button
            type="button"
            class="danger"
            disabled={!isSure}
            onClick={() => change(() => client.delete(`DELETE ${PIPELINE}`, call), '/')}
          >
            Destroy
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
        </p>
      </section>
    </dialog>
  );
}
