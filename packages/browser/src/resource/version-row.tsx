import type { VersionAnswer } from '@seaplane/api/answers';
import { ActionButton } from '../parts/action-button.tsx';
import { FieldsTable } from '../parts/fields-table.tsx';
import { Icon } from '../parts/icons.tsx';
import { causalityPath, followPath, type PipelineRef, resourcePath } from '../routes/routes.ts';
import { VersionBuilds } from './version-builds.tsx';
import { filterQuery, shownFields, summaryOf, versionText } from './versions.ts';

export interface VersionActions {
  /** Why the user may not change versions. */
  readonly reason: string | undefined;
  /** Why the user may not change the pin. */
  readonly pinReason: string | undefined;
  readonly enable: (version: VersionAnswer, isEnabled: boolean) => void;
  readonly pin: (version: VersionAnswer) => void;
  readonly unpin: () => void;
  readonly toggle: (version: VersionAnswer) => void;
}

interface VersionRowProps {
  readonly of: PipelineRef;
  readonly resource: string;
  readonly version: VersionAnswer;
  readonly isPinned: boolean;
  readonly isOpen: boolean;
  readonly actions: VersionActions;
}

/** A version: whether builds may use it, its pin, and on opening its metadata and its builds. */
export function VersionRow({ of, resource, version, isPinned, isOpen, actions }: VersionRowProps) {
  const { message, by } = summaryOf(version.metadata);
  const text = versionText(version.version);
  const classes = ['version', ...(isPinned ? ['pinned'] : []), ...(version.enabled ? [] : ['disabled'])];
  return (
    <li class={classes.join(' ')} data-version-id={version.id}>
      <div class="version-line">
        <ActionButton
          class="quiet box"
          role="switch"
          isOn={version.enabled}
          label={`Builds may use ${text}`}
          title={version.enabled ? 'Disable: no build gets this version' : 'Enable: builds may get this version'}
          reason={actions.reason}
          onClick={() => actions.enable(version, !version.enabled)}
        >
          {version.enabled && <Icon name="check" />}
        </ActionButton>
        <ActionButton
          class="quiet pin"
          isOn={isPinned}
          label="Pin Resource Version"
          about={text}
          title={isPinned ? 'Unpin' : 'Pin: builds get only this version'}
          reason={actions.pinReason}
          onClick={() => (isPinned ? actions.unpin() : actions.pin(version))}
        >
          <Icon name="pin" isFilled={isPinned} />
        </ActionButton>
        <button type="button" class="header" aria-expanded={isOpen} onClick={() => actions.toggle(version)}>
          <Icon name={isOpen ? 'down' : 'right'} />
          <span class="version-text">{text}</span>
          {message !== undefined && <span class="version-message">{message}</span>}
          {!version.enabled && <span class="tag">disabled</span>}
          {by !== undefined && <span class="step-end">{by}</span>}
        </button>
        <a
          class="quiet button"
          href={resourcePath(of, resource, filterQuery(version.version))}
          title="Link to this version"
          aria-label={`Link to ${text}`}
        >
          <Icon name="link" />
        </a>
      </div>
      {isOpen && (
        <div class="version-body">
          <FieldsTable fields={shownFields(version)} />
          <VersionBuilds of={of} resource={resource} version={version.id} />
          <p class="version-ways">
            <a href={followPath(of, resource, version.id)}>Follow it in the pipeline</a>
            <a href={causalityPath(of, resource, version.id, 'downstream')}>All that came of it</a>
            <a href={causalityPath(of, resource, version.id, 'upstream')}>All that led to it</a>
          </p>
        </div>
      )}
    </li>
  );
}
