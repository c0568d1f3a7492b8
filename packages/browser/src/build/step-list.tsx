import type { BuildInputAnswer } from '@seaplane/api/answers';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../parts/keys.ts';
import type { Navigation } from '../routes/navigation.ts';
import type { PipelineRef } from '../routes/routes.ts';
import type { BuildStream } from './build-stream.ts';
import { FindBar, type Found } from './find-bar.tsx';
import { failedSteps, nextFailed } from './first-failure.ts';
import type { Hit } from './log/find.ts';
import { formatLineRange, type LineRange, parseLineRange, selectLine } from './log/line-range.ts';
import { textOf } from './log/log-line.ts';
import type { LineGoal } from './log/log-view.tsx';
import { type Entrance, type StepsState, StepView } from './step-view.tsx';
import { type LeafStep, leavesOf } from './steps.ts';

const OPEN_BY_ITSELF: readonly LeafStep['state'][] = ['running', 'failed', 'errored', 'interrupted'];
/** Nearer to the end of the page than this, somebody reads the end. One press of `k` goes further away. */
const NEAR_END_PX = 50;

interface StepListProps {
  readonly stream: BuildStream;
  readonly navigation: Navigation;
  readonly isEnded: boolean;
  readonly isGreen: boolean;
  readonly entrance: Entrance;
  /** The pipeline of the build, if it has one. */
  readonly of: PipelineRef | undefined;
  readonly inputs: readonly BuildInputAnswer[] | undefined;
}

/** All steps of a build. Steps that run or went wrong are open; the user opens and closes others. */
export function StepList({ stream, navigation, isEnded, isGreen, entrance, of, inputs }: StepListProps) {
  const revision = stream.revision.value;
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [found, setFound] = useState<Found>();
  const selected = parseLineRange(hashOf(navigation.address.value));
  const leaves = leavesOf(stream.steps.root);
  const goal = useGoal(selected, found?.hit);
  const state: StepsState = {
    isOpen: ({ id, state: current }) =>
      chosen.get(id) ??
      (selected?.plan === id ||
        found?.hit?.plan === id ||
        // A step of a green build seems to run until its last event is here. It would open and close again.
        (OPEN_BY_ITSELF.includes(current) && !(isGreen && current === 'running'))),
    toggle: (step) => setChosen(new Map(chosen).set(step.id, !state.isOpen(step))),
    entrance,
    isLoading: isEnded && !stream.isComplete.value,
    versions: { of, inputs },
    marks: { selected, pattern: found?.pattern, hit: found?.hit, goal },
    select: (step, line, isShift) => {
      const range = formatLineRange(selectLine(selected, step.id, line, isShift));
      navigation.replace(location.pathname + location.search + range);
    },
  };
  const find = (next: Found | undefined) => {
    // A step that somebody closed opens for a hit in it.
    if (next?.hit) setChosen(new Map(chosen).set(next.hit.plan, true));
    setFound(next);
  };
  const setAll = (isOpen: boolean) => setChosen(new Map(leaves.map(({ id }) => [id, isOpen])));
  const failure = useRef<string>(undefined);
  const goToFailure = () => {
    const step = nextFailed(leaves, failure.current);
    if (!step) return;
    failure.current = step.id;
    setChosen(new Map(chosen).set(step.id, true));
    showEnd(step.id);
  };
  useKeys({
    o: () => setAll(true),
    O: () => setAll(false),
    e: goToFailure,
    gg: () => window.scrollTo(0, 0),
    G: () => window.scrollTo(0, document.body.scrollHeight),
  });
  useFollowEnd(revision, !isEnded && selected === undefined);
  // A build that had failed before the page was opened shows where, unless the user went elsewhere meanwhile.
  const wasEnded = useRef(isEnded);
  const hasActed = useHasActed();
  const isComplete = stream.isComplete.value;
  useEffect(() => {
    if (isComplete && wasEnded.current && !hasActed.current && selected === undefined) goToFailure();
  }, [isComplete]);
  const failed = failedSteps(leaves).length;
  return (
    <>
      <div class="steps-tools">
        <FindBar logs={leaves.map(({ id, log }) => ({ id, lines: log.lines }))} revision={revision} onFound={find} />
        {failed > 0 && (
          <button type="button" class="quiet" onClick={goToFailure} title="Go to the next step that went wrong (e)">
            <Icon name="alert" /> {failed === 1 ? 'Failure' : `${failed} failures`}
          </button>
        )}
        <button type="button" class="quiet" onClick={() => setAll(true)} title="Open all steps (o)">
          Open all
        </button>
        <button type="button" class="quiet" onClick={() => setAll(false)} title="Close all steps (O)">
          Close all
        </button>
        <button type="button" class="quiet" onClick={() => saveLog(leaves)}>
          <Icon name="download" /> Save log
        </button>
      </div>
      <StepView step={stream.steps.root} state={state} />
    </>
  );
}

/** The line to scroll to: the one that the address named when the page was opened, then each hit that the user goes to. */
function useGoal(selected: LineRange | undefined, hit: Hit | undefined): LineGoal | undefined {
  const first = useRef(selected);
  const opened = first.current;
  return useMemo(() => hit ?? (opened && { plan: opened.plan, line: opened.first }), [hit, opened]);
}

/** Scrolls so that the end of a step's log is at the end of the window, after it has been drawn. */
function showEnd(id: string): void {
  const step = () => document.querySelector(`[data-step-id="${CSS.escape(id)}"]`);
  requestAnimationFrame(() => {
    step()?.scrollIntoView({ block: 'end' });
    // Lines that were not measured before may have made the step longer.
    requestAnimationFrame(() => step()?.scrollIntoView({ block: 'end' }));
  });
}

/** Stays at the end of the page while lines arrive, unless somebody has scrolled up. */
function useFollowEnd(revision: number, isWanted: boolean): void {
  const isAtEnd = useRef(true);
  useEffect(() => {
    const onScroll = () => {
      const { scrollHeight } = document.documentElement;
      isAtEnd.current = window.scrollY + window.innerHeight > scrollHeight - NEAR_END_PX;
    };
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, []);
  // Each revision may have made the page longer.
  useEffect(() => {
    if (isWanted && isAtEnd.current) window.scrollTo(0, document.documentElement.scrollHeight);
  }, [revision, isWanted]);
}

const ACTS = ['keydown', 'pointerdown', 'wheel', 'touchmove'] as const;

/** Whether the user has done anything with the page. */
function useHasActed(): { readonly current: boolean } {
  const hasActed = useRef(false);
  useLayoutEffect(() => {
    const left = new AbortController();
    const onAct = () => {
      hasActed.current = true;
      left.abort();
    };
    for (const act of ACTS) window.addEventListener(act, onAct, { passive: true, capture: true, signal: left.signal });
    return () => left.abort();
  }, []);
  return hasActed;
}

function saveLog(leaves: readonly LeafStep[]): void {
  const text = leaves
    .filter(({ log, errors }) => log.lines.length + errors.length > 0)
    .map(({ type, name, log, errors }) => [`== ${type}: ${name}`, ...log.lines.map(textOf), ...errors, ''].join('\n'))
    .join('\n');
  const href = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = href;
  link.download = `${location.pathname.slice(1).replaceAll('/', '-')}.log`;
  link.click();
  URL.revokeObjectURL(href);
}

function hashOf(address: string): string {
  const at = address.indexOf('#');
  return at < 0 ? '' : decodeURIComponent(address.slice(at));
}
