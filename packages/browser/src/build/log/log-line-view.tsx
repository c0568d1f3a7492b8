import { formatClock } from '../../parts/format-time.ts';
import { type MarkedSpan, markSpans } from './find.ts';
import { formatLineRange } from './line-range.ts';
import { linkify } from './linkify.ts';
import type { LogLine } from './log-line.ts';
import type { TextStyle } from './style.ts';

interface LineProps {
  readonly plan: string;
  readonly line: LogLine;
  readonly number: number;
  readonly isSelected: boolean;
  readonly pattern: RegExp | undefined;
  /** The hit of the search that the user is at, if it is in this line. */
  readonly hit: number | undefined;
  readonly onSelect: (line: number, isShift: boolean) => void;
}

/** A line of a log: its time, which leads to it, and its text. */
export function Line({ plan, line, number, isSelected, pattern, hit, onSelect }: LineProps) {
  const spans: readonly MarkedSpan[] = pattern ? markSpans(line.spans, pattern) : line.spans;
  const time = line.time > 0 ? formatClock(line.time) : '';
  return (
    <div class={isSelected ? 'log-line selected' : 'log-line'} data-line={number}>
      <a
        class="log-time"
        href={formatLineRange({ plan, first: number, last: number })}
        aria-label={`${time} line ${number}`.trim()}
        onClick={(event) => {
          event.preventDefault();
          onSelect(number, event.shiftKey);
        }}
      >
        {time}
      </a>
      <span class="log-text">
        {spans.map((span, i) => (
          <Piece key={i} span={span} isCurrent={span.hit !== undefined && span.hit === hit} />
        ))}
      </span>
    </div>
  );
}

function Piece({ span: { text, style, hit }, isCurrent }: { span: MarkedSpan; isCurrent: boolean }) {
  const parts = linkify(text, style.href).map(({ text: part, href }, i) =>
    href === undefined ? (
      part
    ) : (
      <a key={i} href={href} rel="noreferrer" target="_blank">
        {part}
      </a>
    ),
  );
  const marked = hit === undefined ? parts : <mark class={isCurrent ? 'current' : undefined}>{parts}</mark>;
  const classes = classesOf(style);
  const css = cssOf(style);
  if (classes === '' && !css) return <>{marked}</>;
  return (
    <span class={classes} style={css}>
      {marked}
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
