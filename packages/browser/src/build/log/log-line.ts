import { PLAIN, type TextStyle } from './style.ts';

export interface Span {
  readonly text: string;
  readonly style: TextStyle;
}

/** One line of a log: its time, and its text in pieces of one style each. */
export interface LogLine {
  /** When its last part was written, in seconds. */
  readonly time: number;
  readonly spans: readonly Span[];
  readonly length: number;
}

export const EMPTY_LINE: LogLine = { time: 0, spans: [], length: 0 };
/** A program may move far to the right. Further than this is ignored. */
const MOST_PADDING = 1_000;

export function textOf({ spans }: LogLine): string {
  return spans.map(({ text }) => text).join('');
}

/** The line with `text` written over it from a column on. */
export function writeAt(line: LogLine, column: number, text: string, style: TextStyle, time: number): LogLine {
  if (column === line.length) {
    return { time, spans: append(line.spans, { text, style }), length: line.length + text.length };
  }
  const gap = Math.min(MOST_PADDING, Math.max(0, column - line.length));
  const kept = gap > 0 ? [...line.spans, { text: ' '.repeat(gap), style: PLAIN }] : cut(line.spans, 0, column);
  const rest = column + text.length < line.length ? cut(line.spans, column + text.length, line.length) : [];
  const spans = [...append(kept, { text, style }), ...rest];
  return { time, spans, length: Math.max(line.length, Math.min(column, line.length + gap) + text.length) };
}

/** The columns from `start` to before `end` alone. */
export function keep(line: LogLine, start: number, end: number, time: number): LogLine {
  const spans = cut(line.spans, start, end);
  return { time, spans, length: spans.reduce((sum, { text }) => sum + text.length, 0) };
}

function append(spans: readonly Span[], next: Span): readonly Span[] {
  const last = spans.at(-1);
  if (last?.style !== next.style) return [...spans, next];
  return [...spans.slice(0, -1), { text: last.text + next.text, style: last.style }];
}

function cut(spans: readonly Span[], start: number, end: number): readonly Span[] {
  const result: Span[] = [];
  let at = 0;
  for (const { text, style } of spans) {
    const part = text.slice(Math.max(0, start - at), Math.max(0, end - at));
    if (part !== '') result.push({ text: part, style });
    at += text.length;
  }
  return result;
}
