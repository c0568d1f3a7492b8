import type { LeafStep, StepState } from '../steps.ts';

/**
 * What a step did with its time: it waited for a worker, its image was found and fetched, its sandbox and its inputs were
 * made ready, its program ran.
 */
export type Phase = 'wait' | 'image' | 'inputs' | 'run';

export interface Segment {
  readonly phase: Phase;
  /** In seconds. */
  readonly from: number;
  readonly to: number;
}

export interface TimelineRow {
  readonly id: string;
  readonly type: string;
  readonly name: string;
  readonly state: StepState;
  readonly segments: readonly Segment[];
}

export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly rows: readonly TimelineRow[];
}

/** The steps that have begun, in the order of the page. `now` ends those that run. Undefined if none has. */
export function timelineOf(leaves: readonly LeafStep[], now: number): Timeline | undefined {
  const rows = leaves
    .filter(({ initializedAt }) => initializedAt !== undefined)
    .map((step) => ({
      id: step.id,
      type: step.type,
      name: step.name,
      state: step.state,
      segments: segmentsOf(step, now),
    }));
  const times = rows.flatMap(({ segments }) => segments.flatMap(({ from, to }) => [from, to]));
  if (times.length === 0) return undefined;
  const from = Math.min(...times);
  return { from, to: Math.max(from + 1, ...times), rows };
}

interface Span {
  readonly from: number;
  readonly to: number | undefined;
}

/** From the beginning of the first step that fetched the image to the end of the last. */
function imageSpan({ image }: LeafStep): Span | undefined {
  const leaves = image.flatMap((step) => (step.kind === 'leaf' ? [step] : []));
  const begins = leaves.flatMap(({ initializedAt }) => initializedAt ?? []);
  if (begins.length === 0) return undefined;
  const ends = leaves.flatMap(({ finishedAt }) => finishedAt ?? []);
  return { from: Math.min(...begins), to: ends.length < leaves.length ? undefined : Math.max(...ends) };
}

/** The phases of a step without a gap, each only if it took time; the last one always. Times are whole seconds. */
function segmentsOf(step: LeafStep, now: number): Segment[] {
  const { initializedAt: begin = 0, hasWaited, workerAt, startedAt, finishedAt, state } = step;
  const image = imageSpan(step);
  const end = finishedAt ?? (state === 'running' ? Math.max(now, begin) : (startedAt ?? workerAt ?? begin));
  const marks: (readonly [phase: Phase, until: number | undefined])[] = [
    ['wait', image?.from],
    ['image', image && (image.to ?? end)],
    // Steps that need no worker never wait for one.
    ['wait', workerAt ?? (hasWaited ? end : undefined)],
    ['inputs', startedAt ?? end],
    ['run', end],
  ];
  const segments: Segment[] = [];
  let at = begin;
  for (const [phase, until] of marks) {
    const to = Math.min(until ?? at, end);
    if (to <= at) continue;
    segments.push({ phase, from: at, to });
    at = to;
  }
  return segments.length > 0 ? segments : [{ phase: 'run', from: begin, to: begin }];
}

const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];
const MOST_TICKS = 8;

/** Seconds since the start at which the axis has a mark: round, and not too many. */
export function ticksOf(seconds: number): readonly number[] {
  const step = STEPS.find((each) => seconds / each <= MOST_TICKS) ?? 86_400 * Math.ceil(seconds / 86_400 / MOST_TICKS);
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, i) => i * step);
}
