import type { ResourceAnswer } from '@seaplane/api/answers';
import { useLayoutEffect, useState } from 'preact/hooks';
import { ActionButton } from '../parts/action-button.tsx';
import { FieldsTable } from '../parts/fields-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { LinkedText } from '../parts/linked-text.tsx';

interface PinBarProps {
  readonly resource: ResourceAnswer;
  /** Why the user may not change the pin. */
  readonly reason: string | undefined;
  readonly onUnpin: () => void;
  readonly onComment: (comment: string) => void;
}

/** The version that a resource is pinned to, with the reason that somebody wrote down. */
export function PinBar({ resource, reason, onUnpin, onComment }: PinBarProps) {
  const { pinned_version: version, pin_comment: comment = '', pinned_in_config: isInConfig } = resource;
  if (!version) return null;
  const whyNot = isInConfig ? 'The configuration of the pipeline pins this version: change it there' : reason;
  return (
    <section id="pin-bar" class="pin-bar" aria-label="Pinned version">
      <div class="pin-head">
        <ActionButton id="pin-icon" class="quiet" label="Unpin" reason={whyNot} title="Unpin" onClick={onUnpin}>
          <Icon name="pin" isFilled={true} />
        </ActionButton>
        <h2>{isInConfig ? 'Pinned in the configuration' : 'Pinned'}</h2>
        <FieldsTable fields={Object.entries(version).map(([name, value]) => ({ name, value }))} />
      </div>
      {!isInConfig && whyNot === undefined && <CommentForm comment={comment} onSave={onComment} />}
      {!isInConfig && whyNot !== undefined && comment !== '' && (
        <p class="pin-comment">
          <LinkedText text={comment} />
        </p>
      )}
    </section>
  );
}

/** Ctrl or Cmd with Enter saves. The field stays where it is, with its focus, when the saved comment comes back. */
function CommentForm({ comment, onSave }: { comment: string; onSave: (comment: string) => void }) {
  const [edited, setEdited] = useState<string>();
  const text = edited ?? comment;
  useLayoutEffect(() => {
    if (edited === comment) setEdited(undefined);
  }, [edited, comment]);
  return (
    <form
      class="pin-comment"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text);
      }}
    >
      <textarea
        aria-label="Comment on the pin"
        rows={Math.min(8, Math.max(1, text.split('\n').length))}
        placeholder="Why is this version pinned?"
        value={text}
        onInput={(event) => setEdited(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) onSave(text);
        }}
      />
      {text !== comment && (
        <button type="submit" class="primary" title="Ctrl + Enter">
          Save
        </button>
      )}
    </form>
  );
}
