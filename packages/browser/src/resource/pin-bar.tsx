import type { ResourceAnswer } from '@seaplane/api/answers';
import { ActionButton } from '../parts/action-button.tsx';
import { CommentForm } from '../parts/comment-form.tsx';
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
      {!isInConfig && whyNot === undefined && (
        <CommentForm
          label="Comment on the pin"
          placeholder="Why is this version pinned?"
          comment={comment}
          onSave={onComment}
        />
      )}
      {!isInConfig && whyNot !== undefined && comment !== '' && (
        <p class="comment-form">
          <LinkedText text={comment} />
        </p>
      )}
    </section>
  );
}
