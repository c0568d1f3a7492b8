import type { BuildAnswer, BuildPlanAnswer, BuildSummaryAnswer } from '@seaplane/api/answers';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { usePolled } from '../api/polled.ts';
import { BuildEvents } from '../build/build-events.ts';
import { BuildStream } from '../build/build-stream.ts';
import { NO_MARKS } from '../build/log/log-view.tsx';
import { type StepsState, StepView } from '../build/step-view.tsx';
import { Ago, Lasting } from '../parts/clock.tsx';
import { Icon } from '../parts/icons.tsx';
import { StatusMark, wordFor } from '../parts/status-mark.tsx';
import { toggled } from '../parts/toggled.ts';
import { useSession } from '../session/session.ts';

type Check = BuildAnswer | BuildSummaryAnswer;

interface LastCheckProps {
  readonly check: Check;
  /** Whether somebody waits for this check: its output is shown at once. */
  readonly isAwaited: boolean;
  readonly onEnd: () => void;
}

/** The last check of a resource in one line, with its output as it comes. The output of a check that went wrong is open. */
export function LastCheck({ check, isAwaited, onEnd }: LastCheckProps) {
  const [chosen, setChosen] = useState<boolean>();
  const isBad = check.status === 'failed' || check.status === 'errored';
  const isOpen = chosen ?? (isAwaited || isBad);
  const begin = check.start_time;
  return (
    <section class="last-check">
      <button type="button" class="header" aria-expanded={isOpen} onClick={() => setChosen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        <StatusMark mark={check.status} />
        <span>
          {check.status === 'started' || check.status === 'pending'
            ? 'Checking'
            : `Last check ${wordFor(check.status)}`}
          {begin !== undefined && (
            <span class="soft">
              {' '}
              <Lasting from={begin} to={check.end_time} />
              {check.end_time !== undefined && (
                <>
                  , <Ago at={check.end_time} />
                </>
              )}
            </span>
          )}
        </span>
        <span class="step-end">output</span>
      </button>
      {isOpen && <Output id={check.id} isEnded={check.end_time !== undefined} onEnd={onEnd} />}
    </section>
  );
}

interface OutputProps {
  readonly id: number;
  readonly isEnded: boolean;
  readonly onEnd: () => void;
}

function Output({ id, isEnded, onEnd }: OutputProps) {
  const { client } = useSession();
  const polled = usePolled(`plan ${id}`, (signal) =>
    client.get('GET /api/v1/builds/:build/plan', { at: { build: String(id) } }, signal),
  );
  const { value, error } = polled.loaded.value;
  if (!value) return <p class="step-note">{error ? 'This check has no output.' : 'Loading ...'}</p>;
  return <Steps {...{ id, isEnded, onEnd }} plan={value} />;
}

function Steps({ id, isEnded, plan, onEnd }: OutputProps & { plan: BuildPlanAnswer }) {
  const { client } = useSession();
  // The plan of a build never changes.
  const stream = useMemo(() => new BuildStream(new BuildEvents(client, id), plan, onEnd), [id]);
  useEffect(() => () => stream.close(), [stream]);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  // Reading the revision paints this again when events have come.
  stream.revision.value;
  const state: StepsState = {
    isOpen: (step) => !closed.has(step.id),
    toggle: ({ id: step }) => setClosed(toggled(closed, step)),
    marks: NO_MARKS,
    isLoading: isEnded && !stream.isComplete.value,
    select: () => {},
  };
  return (
    <div class="check-output">
      <StepView step={stream.steps.root} state={state} />
    </div>
  );
}
