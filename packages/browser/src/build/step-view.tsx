import { ActionButton } from '../parts/action-button.tsx';
import { Lasting } from '../parts/clock.tsx';
import { FieldsTable } from '../parts/fields-table.tsx';
import { formatDuration } from '../parts/format-time.ts';
import { Icon } from '../parts/icons.tsx';
import { type Mark, StatusMark } from '../parts/status-mark.tsx';
import { enterCommand, hasSandbox } from './enter-command.ts';
import { type LogMarks, LogView } from './log/log-view.tsx';
import { isNewVersion, type StepVersions, VersionLink } from './step-version.tsx';
import type { LeafStep, Step, StepState } from './steps.ts';

/** The way into sandboxes of a build. */
export interface Entrance {
  readonly buildId: number;
  /** Why the user may not enter. */
  readonly whyNot: string | undefined;
  readonly open: (step: LeafStep) => void;
}

/** The state of the page beside the steps: which are open, and what is marked in their logs. */
export interface StepsState {
  readonly isOpen: (step: LeafStep) => boolean;
  readonly toggle: (step: LeafStep) => void;
  readonly marks: LogMarks;
  /** Whether events of an ended build are still coming: what has not ended so far is not known yet. */
  readonly isLoading: boolean;
  /** Undefined where nobody asks for versions. */
  readonly versions?: StepVersions;
  /** Undefined where nobody enters the steps. */
  readonly entrance?: Entrance;
  readonly select: (step: LeafStep, line: number, isShift: boolean) => void;
}

export const MARKS: Readonly<Record<StepState, Mark>> = {
  pending: 'pending',
  running: 'started',
  succeeded: 'succeeded',
  failed: 'failed',
  errored: 'errored',
  interrupted: 'aborted',
  skipped: 'skipped',
};

/** The states that no step of an ended build has. */
const IN_MOTION: readonly StepState[] = ['pending', 'running'];

export function StepView({ step, state }: { step: Step; state: StepsState }) {
  if (step.kind === 'leaf') return <Leaf step={step} state={state} />;
  const inside = (
    <>
      {step.children.map((child) => (
        <StepView key={child.id} step={child} state={state} />
      ))}
      {step.errors.map((message) => (
        <p key={message} class="step-error">
          {message}
        </p>
      ))}
    </>
  );
  if (step.label === undefined) return inside;
  return (
    <section class="step-group" aria-label={step.label}>
      <h2>{step.label}</h2>
      {inside}
    </section>
  );
}

function Leaf({ step, state }: { step: LeafStep; state: StepsState }) {
  const isOpen = state.isOpen(step);
  const isUnknown = state.isLoading && IN_MOTION.includes(step.state);
  return (
    <section class="step" data-step-name={step.name} data-step-id={step.id}>
      <button type="button" class="header" aria-expanded={isOpen} onClick={() => state.toggle(step)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        <span class="step-type">{step.type.replaceAll('_', ' ')}:</span> <span class="step-name">{step.name}</span>
        {step.version && <span class="step-version">{Object.values(step.version).join(' ').slice(0, 40)}</span>}
        {state.versions && isNewVersion(step, state.versions.inputs) && <span class="tag">new version</span>}
        {step.hasChanged && <span class="tag">configuration changed</span>}
        <span class="step-end">
          {step.exitStatus !== undefined && step.exitStatus !== 0 && <span>exit {step.exitStatus}</span>}
          {isUnknown ? (
            'loading ...'
          ) : (
            <>
              <Times step={step} />
              <span data-step-state={step.state}>
                <StatusMark mark={MARKS[step.state]} label={step.state} />
              </span>
            </>
          )}
        </span>
      </button>
      {isOpen && <Body step={step} state={state} isUnknown={isUnknown} />}
    </section>
  );
}

function Times({ step: { initializedAt, startedAt, finishedAt, state } }: { step: LeafStep }) {
  const from = startedAt ?? initializedAt;
  if (from === undefined || (finishedAt === undefined && state !== 'running')) return null;
  const waited = startedAt !== undefined && initializedAt !== undefined ? startedAt - initializedAt : 0;
  const title = waited > 0 ? `${formatDuration(waited)} to get ready` : undefined;
  return (
    <span title={title}>
      <Lasting from={from} to={finishedAt} />
    </span>
  );
}

function Body({ step, state, isUnknown }: { step: LeafStep; state: StepsState; isUnknown: boolean }) {
  const isEmpty = step.log.lines.length === 0 && step.errors.length === 0 && !step.metadata?.length;
  return (
    <div class="step-body">
      {step.image.map((each) => (
        <StepView key={each.id} step={each} state={state} />
      ))}
      {step.worker && <Place step={step} entrance={state.entrance} />}
      <LogView
        plan={step.id}
        log={step.log}
        marks={state.marks}
        onSelect={(line, isShift) => state.select(step, line, isShift)}
      />
      {step.errors.map((message) => (
        <p key={message} class="step-error">
          {message}
        </p>
      ))}
      {state.versions && <VersionLink step={step} of={state.versions.of} />}
      <Metadata step={step} />
      {isEmpty && step.image.length === 0 && <p class="step-note">{isUnknown ? 'Loading ...' : EMPTY[step.state]}</p>}
    </div>
  );
}

function Place({ step, entrance }: { step: LeafStep; entrance: Entrance | undefined }) {
  return (
    <p class="step-note step-place">
      <span>
        on worker {step.worker}
        {entrance && hasSandbox(step) && ', look inside:'}
      </span>
      {entrance && hasSandbox(step) && <Enter step={step} entrance={entrance} />}
    </p>
  );
}

function Enter({ step, entrance: { buildId, whyNot, open } }: { step: LeafStep; entrance: Entrance }) {
  const command = enterCommand(buildId, step);
  return (
    <>
      <ActionButton
        class="quiet"
        label="Open a terminal"
        about={`in ${step.type} ${step.name}`}
        reason={whyNot}
        onClick={() => open(step)}
      >
        <Icon name="terminal" /> Terminal
      </ActionButton>
      {whyNot === undefined && (
        <>
          <span>or</span>
          <code>{command}</code>
          <button
            type="button"
            class="quiet"
            aria-label="Copy the command"
            title="Copy the command"
            onClick={() => void navigator.clipboard?.writeText(command)}
          >
            <Icon name="copy" />
          </button>
        </>
      )}
    </>
  );
}

const EMPTY: Readonly<Record<StepState, string>> = {
  pending: 'Not started yet.',
  running: 'No output yet.',
  succeeded: 'No output.',
  failed: 'No output.',
  errored: 'No output.',
  interrupted: 'No output.',
  skipped: 'This step did not run.',
};

function Metadata({ step: { metadata, version } }: { step: LeafStep }) {
  const rows = [
    ...Object.entries(version ?? {}).map(([name, value]) => ({ name, value })),
    ...(metadata ?? []).filter(({ name }) => version?.[name] === undefined),
  ];
  return rows.length === 0 ? null : <FieldsTable fields={rows} />;
}
