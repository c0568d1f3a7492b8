import { useNow } from '../../parts/clock.tsx';
import { formatDuration } from '../../parts/format-time.ts';
import { StatusMark } from '../../parts/status-mark.tsx';
import type { BuildStream } from '../build-stream.ts';
import { formatLineRange } from '../log/line-range.ts';
import { MARKS } from '../step-view.tsx';
import { leavesOf } from '../steps.ts';
import { type Phase, type Segment, type TimelineRow, ticksOf, timelineOf } from './timeline.ts';

const WORDS: Readonly<Record<Phase, string>> = {
  wait: 'waiting for a worker',
  image: 'finding and fetching the image',
  inputs: 'getting the sandbox and inputs ready',
  run: 'running',
};
const PHASES = Object.keys(WORDS) as Phase[];

/** Where the time of a build went: a bar for each step, split by what the step did. */
export function TimelineView({ stream, isEnded }: { stream: BuildStream; isEnded: boolean }) {
  void stream.revision.value; // drawn again with each change
  const now = useNow();
  const timeline = timelineOf(leavesOf(stream.steps.root), now);
  if (isEnded && !stream.isComplete.value) return <p class="step-note">Loading ...</p>;
  if (!timeline) return <p class="step-note">{isEnded ? 'No step has begun.' : 'No step has begun yet.'}</p>;
  const { from, to, rows } = timeline;
  const share = (time: number) => `${(((time - from) / (to - from)) * 100).toFixed(3)}%`;
  return (
    <section class="timeline" aria-label="Timeline">
      <ul class="timeline-legend" aria-label="Colours">
        {PHASES.map((phase) => (
          <li key={phase}>
            <span class={`segment phase-${phase}`} aria-hidden="true" /> {WORDS[phase]}
            {phase === 'run' && ', in the colour of its result'}
          </li>
        ))}
      </ul>
      <div class="timeline-axis" aria-hidden="true">
        {ticksOf(to - from).map((tick) => (
          <span key={tick} style={{ left: share(from + tick) }}>
            {formatDuration(tick)}
          </span>
        ))}
      </div>
      <ol class="timeline-rows">
        {rows.map((row) => (
          <Row key={row.id} row={row} share={share} from={from} />
        ))}
      </ol>
    </section>
  );
}

function Row({ row, share, from }: { row: TimelineRow; share: (time: number) => string; from: number }) {
  const { id, type, name, state, segments } = row;
  const begin = segments[0]?.from ?? from;
  const end = segments.at(-1)?.to ?? begin;
  const parts = segments.map((segment) => `${WORDS[segment.phase]} ${lengthOf(segment)}`).join(', ');
  return (
    <li>
      <a
        class="timeline-name"
        href={`${location.pathname}${withoutView()}${formatLineRange({ plan: id, first: 1, last: 1 })}`}
      >
        <StatusMark mark={MARKS[state]} label={state} />
        <span class="soft">{type.replaceAll('_', ' ')}</span> {name}
      </a>
      <div class="timeline-bar" role="img" aria-label={`after ${formatDuration(begin - from)}: ${parts}`} title={parts}>
        {segments.map((segment) => (
          <span
            key={segment.from}
            class={`segment phase-${segment.phase}${segment.phase === 'run' ? ` state-${state}` : ''}`}
            style={{
              left: `min(100% - 3px, ${share(segment.from)})`,
              width: `max(3px, calc(${share(segment.to)} - ${share(segment.from)}))`,
            }}
          />
        ))}
      </div>
      <span class="timeline-length number">{formatDuration(end - begin)}</span>
    </li>
  );
}

function lengthOf({ from, to }: Segment): string {
  return formatDuration(to - from);
}

/** The query of the page, without the one that chose this view. */
function withoutView(): string {
  const query = new URLSearchParams(location.search);
  query.delete('view');
  return query.size === 0 ? '' : `?${query}`;
}
