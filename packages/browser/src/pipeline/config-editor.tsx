import type { DiffLine } from '@seaplane/config/diff-lines';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { RefusedError } from '../api/client.ts';
import { Problem } from '../parts/problem.tsx';
import { useAction } from '../parts/use-action.ts';
import type { PipelineRef } from '../routes/routes.ts';
import { useSession } from '../session/session.ts';

const CONFIG = 'PUT /api/v1/teams/:team/pipelines/:pipeline/config';
export const VERSION_HEADER = 'X-Concourse-Config-Version';

/**
 * A configuration with its version, which the server compares when somebody sets another. A pipeline that is not there yet
 * has the empty version.
 */
export interface SavedConfig {
  readonly text: string;
  readonly version: string;
}

export const NOT_THERE: SavedConfig = { text: '', version: '' };

interface ConfigEditorProps {
  readonly base: SavedConfig;
  /** The text to begin with. By default that of `base`. */
  readonly begin?: string;
  readonly of: PipelineRef;
  /** More fields of the form, above the configuration. */
  readonly children?: ComponentChildren;
  readonly onCancel: () => void;
  readonly onSaved: (warnings: readonly string[]) => void;
}

/** Changes the configuration. As with fly, what changes is shown before it is set. */
export function ConfigEditor({ base, begin = base.text, of, children, onCancel, onSaved }: ConfigEditorProps) {
  const { client } = useSession();
  const [text, setText] = useState(begin);
  const [changes, setChanges] = useState<readonly (DiffLine | undefined)[]>();
  const action = useAction(() => {});
  const review = async () => setChanges((await import('./config-text.ts')).changedLines(base.text, text));
  const save = () =>
    action.runOnce(async () => {
      const call = { at: { team: of.team, pipeline: of.pipeline }, query: of.vars };
      const headers = { 'Content-Type': 'application/x-yaml', [VERSION_HEADER]: base.version };
      const { warnings = [] } = await client
        .putText(CONFIG, call, text, headers)
        .catch((error) => explain(error, base));
      onSaved(warnings.map(({ message }) => message));
    });
  return (
    <form
      class="config-editor"
      onSubmit={(event) => {
        event.preventDefault();
        if (changes) save();
        else void review();
      }}
    >
      {children}
      <p class="dialog-line">
        <button type="submit" class="primary" disabled={changes?.length === 0}>
          {changes ? 'Set the pipeline' : 'Show what changes'}
        </button>
        {changes && (
          <button
            type="button"
            onClick={() => {
              setChanges(undefined);
              action.forget();
            }}
          >
            Go on editing
          </button>
        )}
        <button type="button" onClick={onCancel}>
          Cancel
        </button>
      </p>
      <Problem of={action} />
      {changes ? (
        <>
          <h2>Changes</h2>
          {changes.length === 0 ? <p class="step-note">Nothing.</p> : <Changes lines={changes} />}
        </>
      ) : (
        <textarea
          class="config"
          aria-label="Configuration"
          spellcheck={false}
          rows={Math.max(12, text.split('\n').length)}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
    </form>
  );
}

const SIGNS = { same: ' ', removed: '-', added: '+' } as const;

function Changes({ lines }: { lines: readonly (DiffLine | undefined)[] }) {
  return (
    <pre class="config">
      {lines.map((line, at) => (
        <span key={`${at}`} class={`line-${line?.kind ?? 'gap'}`}>
          {line ? `${SIGNS[line.kind]} ${line.text}\n` : '...\n'}
        </span>
      ))}
    </pre>
  );
}

/** The server's own words say what it compared, and not what happened. */
function explain(error: unknown, { version }: SavedConfig): never {
  if (error instanceof RefusedError && error.message.includes('comparison with existing config failed')) {
    const reason =
      version === NOT_THERE.version
        ? 'The team has a pipeline of this name already. Choose another name, or change that pipeline on its own page.'
        : 'Somebody else has set the pipeline since you began. Cancel, and begin again with what is set now.';
    throw new RefusedError(error.status, reason, { cause: error });
  }
  throw error;
}
