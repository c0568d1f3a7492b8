import { type LogLine, type Span, textOf } from './log-line.ts';

export interface FindQuery {
  readonly text: string;
  /** The text is a regular expression. */
  readonly isPattern: boolean;
  readonly isCaseSensitive: boolean;
}

/** Undefined if there is nothing to find. Throws a `SyntaxError` for a wrong regular expression. */
export function patternOf({ text, isPattern, isCaseSensitive }: FindQuery): RegExp | undefined {
  if (text === '') return undefined;
  const source = isPattern ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(source, isCaseSensitive ? 'gu' : 'giu');
}

/** The first column and the column after the last, of each hit. A hit has at least one character. */
export function rangesIn(text: string, pattern: RegExp): readonly (readonly [start: number, end: number])[] {
  const ranges: (readonly [number, number])[] = [];
  for (const match of text.matchAll(pattern)) {
    if (match[0] !== '') ranges.push([match.index, match.index + match[0].length]);
  }
  return ranges;
}

export interface MarkedSpan extends Span {
  /** The hit in its line that the piece belongs to, from 0 on. */
  readonly hit?: number;
}

/** The spans of a line, cut where hits begin and end. */
export function markSpans(spans: readonly Span[], pattern: RegExp): readonly MarkedSpan[] {
  const ranges = rangesIn(spans.map(({ text }) => text).join(''), pattern);
  if (ranges.length === 0) return spans;
  const marked: MarkedSpan[] = [];
  let at = 0;
  for (const { text, style } of spans) {
    const [start, end] = [at, at + text.length];
    const cuts = ranges.flat().filter((column) => column > start && column < end);
    for (const [i, from] of [start, ...cuts].entries()) {
      const to = cuts[i] ?? end;
      const hit = ranges.findIndex(([first, after]) => from >= first && from < after);
      const piece = { text: text.slice(from - start, to - start), style };
      if (piece.text !== '') marked.push(hit < 0 ? piece : { ...piece, hit });
    }
    at = end;
  }
  return marked;
}

/** One hit: the step by the id of its plan, the line from 1 on, and the hit in the line from 0 on. */
export interface Hit {
  readonly plan: string;
  readonly line: number;
  readonly inLine: number;
}

export interface FoundLog {
  readonly id: string;
  readonly lines: readonly LogLine[];
}

interface Scanned {
  /** The lines that were looked at. A line is replaced when it changes, so another object is another line. */
  readonly lines: LogLine[];
  readonly counts: number[];
}

/**
 * The hits of a pattern in all logs of a build, counted exactly. Logs grow and change while they are looked at: `scan`
 * looks at new and changed lines alone, and may stop at any time to go on later.
 */
export class LogFind {
  readonly pattern: RegExp;
  readonly #scanned = new Map<string, Scanned>();
  #total = 0;

  constructor(pattern: RegExp) {
    this.pattern = pattern;
  }

  get total(): number {
    return this.#total;
  }

  /** Returns whether all lines have been looked at. `isLate` is asked now and then. */
  scan(logs: readonly FoundLog[], isLate: () => boolean): boolean {
    for (const { id, lines } of logs) {
      const scanned = this.#scanned.get(id) ?? { lines: [], counts: [] };
      this.#scanned.set(id, scanned);
      for (const [i, line] of lines.entries()) {
        if (scanned.lines[i] === line) continue;
        const count = rangesIn(textOf(line), this.pattern).length;
        this.#total += count - (scanned.counts[i] ?? 0);
        scanned.lines[i] = line;
        scanned.counts[i] = count;
        if (i % 256 === 0 && isLate()) return false;
      }
    }
    return true;
  }

  /** The hit with this number, from 0 on, in the order of the logs. */
  hitAt(logs: readonly FoundLog[], index: number): Hit | undefined {
    let before = 0;
    for (const { id } of logs) {
      for (const [i, count] of (this.#scanned.get(id)?.counts ?? []).entries()) {
        if (index < before + count) return { plan: id, line: i + 1, inLine: index - before };
        before += count;
      }
    }
    return undefined;
  }
}
