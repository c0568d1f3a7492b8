import { memo } from 'preact/compat';
import { useEffect, useRef, useState } from 'preact/hooks';
import { formatClock } from '../../parts/format-time.ts';
import { formatLineRange, type LineRange } from './line-range.ts';
import { linkify } from './linkify.ts';
import type { LogCooker } from './log-cooker.ts';
import type { LogLine, Span } from './log-line.ts';
import type { TextStyle } from './style.ts';

const CHUNK = 200;
/** More lines than this are shown only when somebody asks. */
const FIRST_SHOWN = 1_000;
const MORE = 10_000;

interface LogViewProps {
  readonly plan: string;
  readonly log: LogCooker;
  readonly selected: LineRange | undefined;
  readonly onSelect: (line: number, isShift: boolean) => void;
}

/** The log of a step. Long logs show their end; a browser paints only the chunks in view. */
export function LogView({ plan, log, selected, onSelect }: LogViewProps) {
  const [extra, setExtra] = useState(0);
  const { lines } = log;
  const wanted = selected?.plan === plan ? lines.length - selected.first + CHUNK : 0;
  const shown = Math.max(FIRST_SHOWN + extra, wanted);
  const hidden = Math.max(0, Math.floor((lines.length - shown) / CHUNK)) * CHUNK;
  const chunks = [];
  for (let start = hidden; start < lines.length; start += CHUNK) {
    chunks.push(
      <Chunk
        key={start}
        {...{ plan, start, onSelect }}
        lines={lines.slice(start, start + CHUNK)}
        selected={selected}
      />,
    );
  }
  return (
    <div class="log" role="log" aria-live="off">
      {hidden > 0 && (
        <p class="log-more">
          {hidden.toLocaleString()} earlier lines are hidden.{' '}
          <button type="button" class="quiet" onClick={() => setExtra(extra + MORE)}>
            Show {Math.min(hidden, MORE).toLocaleString()} more
          </button>
        </p>
      )}
      {chunks}
    </div>
  );
}

interface ChunkProps {
  readonly plan: string;
  readonly start: number;
  readonly lines: readonly LogLine[];
  readonly selected: LineRange | undefined;
  readonly onSelect: (line: number, isShift: boolean) => void;
}

/** Painted again only if a line in it changed: lines are replaced, never changed. */
const Chunk = memo(ChunkLines, (a, b) => {
  const isSame = a.lines.length === b.lines.length && a.lines.every((line, i) => line === b.lines[i]);
  return isSame && a.selected === b.selected;
});

function ChunkLines({ plan, start, lines, selected, onSelect }: ChunkProps) {
  return (
    <div class="log-chunk">
      {lines.map((line, i) => (
        <Line
          key={start + i}
          plan={plan}
          line={line}
          number={start + i + 1}
          isSelected={selected?.plan === plan && start + i + 1 >= selected.first && start + i + 1 <= selected.last}
          isTarget={selected?.plan === plan && start + i + 1 === selected.first}
          onSelect={onSelect}
        />
      ))}
    </div>
  );
}

interface LineProps {
  readonly plan: string;
  readonly line: LogLine;
  readonly number: number;
  readonly isSelected: boolean;
  readonly isTarget: boolean;
  readonly onSelect: (line: number, isShift: boolean) => void;
}

function Line({ plan, line, number, isSelected, isTarget, onSelect }: LineProps) {
  const row = useRef<HTMLDivElement>(null);
  const wasTarget = useRef(isTarget);
  useEffect(() => {
    if (wasTarget.current) row.current?.scrollIntoView({ block: 'center' });
  }, []);
  return (
    <div ref={row} class={isSelected ? 'log-line selected' : 'log-line'}>
      <a
        class="log-time"
        href={formatLineRange({ plan, first: number, last: number })}
        aria-label={`Line ${number}`}
        onClick={(event) => {
          event.preventDefault();
          onSelect(number, event.shiftKey);
        }}
      >
        {line.time > 0 ? formatClock(line.time) : ''}
      </a>
      <span class="log-text">
        {line.spans.map((span, i) => (
          <Piece key={i} {...span} />
        ))}
      </span>
    </div>
  );
}

function Piece({ text, style }: Span) {
  const parts = linkify(text, style.href).map(({ text: part, href }, i) =>
    href === undefined ? (
      part
    ) : (
      <a key={i} href={href} rel="noreferrer" target="_blank">
        {part}
      </a>
    ),
  );
  const classes = classesOf(style);
  const css = cssOf(style);
  if (classes === '' && !css) return <>{parts}</>;
  return (
    <span class={classes} style={css}>
      {parts}
    </span>
  );
}

function classesOf({ foreground, background, ...flags }: TextStyle): string {
  return [
    typeof foreground === 'number' && `fg-${foreground}`,
    typeof background === 'number' && `bg-${background}`,
    ...(['bold', 'faint', 'italic', 'underline', 'strike', 'inverse'] as const).map((flag) => flags[flag] && flag),
  ]
    .filter(Boolean)
    .join(' ');
}

function cssOf({ foreground, background }: TextStyle): Record<string, string> | undefined {
  const css = {
    ...(typeof foreground === 'string' && { color: foreground }),
    ...(typeof background === 'string' && { 'background-color': background }),
  };
  return Object.keys(css).length > 0 ? css : undefined;
}
