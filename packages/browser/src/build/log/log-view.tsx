import { memo } from 'preact/compat';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Hit } from './find.ts';
import type { LineRange } from './line-range.ts';
import type { LogCooker } from './log-cooker.ts';
import type { LogLine } from './log-line.ts';
import { Line } from './log-line-view.tsx';
import { CHUNK, chunkHeights, offsetOf, windowOf } from './log-window.ts';

/** Chunks this near to the window are drawn before somebody scrolls to them, but after those in the window. */
const MARGIN_PX = 1_000;

/** A line to scroll to. A new object scrolls again. */
export interface LineGoal {
  readonly plan: string;
  readonly line: number;
}

/** What is marked in logs: lines that the address names, and hits of a search. */
export interface LogMarks {
  readonly selected: LineRange | undefined;
  readonly pattern: RegExp | undefined;
  /** The hit that the user is at. */
  readonly hit: Hit | undefined;
  readonly goal: LineGoal | undefined;
}

export const NO_MARKS: LogMarks = { selected: undefined, pattern: undefined, hit: undefined, goal: undefined };

interface LogViewProps {
  readonly plan: string;
  readonly log: LogCooker;
  readonly marks: LogMarks;
  readonly onSelect: (line: number, isShift: boolean) => void;
}

/** The log of a step, of any length: only the lines near the window are in the page. */
export function LogView({ plan, log, marks, onSelect }: LogViewProps) {
  const { lines } = log;
  const root = useRef<HTMLDivElement>(null);
  const measured = useRef<(number | undefined)[]>([]);
  const [view, setView] = useState<View>({ top: 0, bottom: window.innerHeight });
  const [, setMeasuring] = useState(0);
  const heights = chunkHeights(lines.length, measured.current);
  const { first, end, above, below } = windowOf(heights, view.top, view.bottom);

  useEffect(() => followWindow(root, setView, measured), []);
  useEffect(() => {
    // A log without lines has nothing to draw elsewhere, and to ask for its place would place the whole page.
    if (lines.length === 0) return;
    // Lines that arrive above push this log down, which no scroll event reports.
    const next = viewOf(root.current);
    if (next && Math.abs(next.top - view.top) > MARGIN_PX / 4) setView(next);
  });
  const measure = () => {
    let hasChanged = false;
    for (const [i, element] of [...(root.current?.children ?? [])].slice(1, -1).entries()) {
      const { offsetHeight } = element as HTMLElement;
      if (offsetHeight > 0 && offsetHeight !== heights[first + i]) hasChanged = true;
      measured.current[first + i] = offsetHeight || undefined;
    }
    if (hasChanged) setMeasuring((count) => count + 1);
  };
  const hasMeasured = useRef(false);
  useLayoutEffect(() => {
    if (hasMeasured.current) return measure();
    // The first lines are placed by the frame that paints them, not in the task that draws them.
    hasMeasured.current = lines.length > 0;
    const frame = requestAnimationFrame(measure);
    return () => cancelAnimationFrame(frame);
  }, [first, end, lines.length]);
  const goal = marks.goal?.plan === plan ? marks.goal : undefined;
  const isThere = goal !== undefined && goal.line <= lines.length;
  useEffect(() => {
    if (!goal || !isThere || !root.current) return;
    const line = root.current.querySelector(`[data-line="${goal.line}"]`);
    if (line) line.scrollIntoView({ block: 'center' });
    else {
      const { top } = root.current.getBoundingClientRect();
      const middle = window.scrollY + top + offsetOf(heights, goal.line) - window.innerHeight / 2;
      window.scrollTo(0, middle);
      // The chunk is drawn in the next frame; only then is its place known.
      requestAnimationFrame(() => {
        setView(viewOf(root.current) ?? view);
        requestAnimationFrame(() => {
          root.current?.querySelector(`[data-line="${goal.line}"]`)?.scrollIntoView({ block: 'center' });
        });
      });
    }
  }, [goal, isThere]);

  const chunks = [];
  for (let chunk = first; chunk < end; chunk++) {
    const start = chunk * CHUNK;
    const part = lines.slice(start, start + CHUNK);
    const isIn = (line: number) => line > start && line <= start + CHUNK;
    chunks.push(
      <Chunk
        key={chunk}
        {...{ plan, start, onSelect }}
        lines={part}
        selected={marks.selected?.plan === plan ? marks.selected : undefined}
        pattern={marks.pattern}
        hit={marks.hit?.plan === plan && isIn(marks.hit.line) ? marks.hit : undefined}
      />,
    );
  }
  return (
    <div class="log" role="log" aria-live="off" ref={root}>
      <div style={{ height: `${above}px` }} />
      {chunks}
      <div style={{ height: `${below}px` }} />
    </div>
  );
}

interface View {
  readonly top: number;
  readonly bottom: number;
}

/** The part of the log that is in the window or near it, from the log's top. */
function viewOf(root: HTMLElement | null): View | undefined {
  if (!root) return undefined;
  const { top } = root.getBoundingClientRect();
  return { top: -top - MARGIN_PX, bottom: -top + window.innerHeight + MARGIN_PX };
}

/** Calls `onView` when the window has moved over the log. Returns the function that ends this. */
function followWindow(
  root: { readonly current: HTMLElement | null },
  onView: (view: View) => void,
  measured: { current: (number | undefined)[] },
): () => void {
  let frame = 0;
  let width = window.innerWidth;
  const onMove = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => {
      // Lines wrap elsewhere in another width.
      if (width !== window.innerWidth) measured.current = [];
      width = window.innerWidth;
      const view = viewOf(root.current);
      if (view) onView(view);
    });
  };
  onMove();
  window.addEventListener('scroll', onMove, { passive: true });
  window.addEventListener('resize', onMove, { passive: true });
  return () => {
    cancelAnimationFrame(frame);
    window.removeEventListener('scroll', onMove);
    window.removeEventListener('resize', onMove);
  };
}

interface ChunkProps {
  readonly plan: string;
  readonly start: number;
  readonly lines: readonly LogLine[];
  readonly selected: LineRange | undefined;
  readonly pattern: RegExp | undefined;
  readonly hit: Hit | undefined;
  readonly onSelect: (line: number, isShift: boolean) => void;
}

/** Drawn again only if a line in it or a mark on it changed: lines are replaced, never changed. */
const Chunk = memo(ChunkLines, (a, b) => {
  const isSame = a.lines.length === b.lines.length && a.lines.every((line, i) => line === b.lines[i]);
  const sameRange = a.selected?.first === b.selected?.first && a.selected?.last === b.selected?.last;
  return isSame && sameRange && a.pattern === b.pattern && a.hit === b.hit;
});

function ChunkLines({ plan, start, lines, selected, pattern, hit, onSelect }: ChunkProps) {
  return (
    <div class="log-chunk">
      {lines.map((line, i) => {
        const number = start + i + 1;
        return (
          <Line
            key={number}
            {...{ plan, line, number, pattern, onSelect }}
            isSelected={selected !== undefined && number >= selected.first && number <= selected.last}
            hit={hit?.line === number ? hit.inLine : undefined}
          />
        );
      })}
    </div>
  );
}
