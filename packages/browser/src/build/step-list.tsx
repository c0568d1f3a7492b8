import { useEffect, useRef, useState } from 'preact/hooks';
import { Icon } from '../parts/icons.tsx';
import { useKeys } from '../parts/keys.ts';
import type { Navigation } from '../routes/navigation.ts';
import type { BuildStream } from './build-stream.ts';
import { formatLineRange, parseLineRange, selectLine } from './log/line-range.ts';
import { textOf } from './log/log-line.ts';
import { type StepsState, StepView } from './step-view.tsx';
import { type LeafStep, leavesOf } from './steps.ts';

const OPEN_BY_ITSELF: readonly LeafStep['state'][] = ['running', 'failed', 'errored', 'interrupted'];
/** Nearer to the end of the page than this, somebody reads the end. */
const NEAR_END_PX = 80;

interface StepListProps {
  readonly stream: BuildStream;
  readonly navigation: Navigation;
  readonly isEnded: boolean;
}

/** All steps of a build. Steps that run or went wrong are open; the user opens and closes others. */
export function StepList({ stream, navigation, isEnded }: StepListProps) {
  const revision = stream.revision.value;
  const [chosen, setChosen] = useState<ReadonlyMap<string, boolean>>(new Map());
  const selected = parseLineRange(hashOf(navigation.address.value));
  const leaves = leavesOf(stream.steps.root);
  const state: StepsState = {
    isOpen: ({ id, state: current }) => chosen.get(id) ?? (selected?.plan === id || OPEN_BY_ITSELF.includes(current)),
    toggle: (step) => setChosen(new Map(chosen).set(step.id, !state.isOpen(step))),
    selected,
    select: (step, line, isShift) => {
      const range = formatLineRange(selectLine(selected, step.id, line, isShift));
      navigation.replace(location.pathname + location.search + range);
    },
  };
  const setAll = (isOpen: boolean) => setChosen(new Map(leaves.map(({ id }) => [id, isOpen])));
  useKeys({
    o: () => setAll(true),
    O: () => setAll(false),
    gg: () => window.scrollTo(0, 0),
    G: () => window.scrollTo(0, document.body.scrollHeight),
  });
  useFollowEnd(revision, !isEnded && selected === undefined);
  return (
    <>
      <div class="steps-tools">
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
