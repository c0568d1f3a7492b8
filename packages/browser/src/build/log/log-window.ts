/** So many lines are drawn, measured and thrown away together. */
export const CHUNK = 50;
/** The height of a line that is not wrapped. Lines of chunks that were never drawn are taken to have it. */
export const LINE_PX = 20;

/** The chunks to draw, and the space that those before and after them take. */
export interface LogWindow {
  readonly first: number;
  /** The one after the last chunk to draw. */
  readonly end: number;
  readonly above: number;
  readonly below: number;
}

/** The height of each chunk of a log with so many lines: as measured, or as many lines as it has. */
export function chunkHeights(lines: number, measured: readonly (number | undefined)[]): number[] {
  return Array.from({ length: Math.ceil(lines / CHUNK) }, (_, i) => {
    return measured[i] ?? Math.min(CHUNK, lines - i * CHUNK) * LINE_PX;
  });
}

/** The chunks that lie between two heights of the log. Of a log that lies elsewhere, nothing is drawn. */
export function windowOf(heights: readonly number[], top: number, bottom: number): LogWindow {
  let [at, first, above, below] = [0, -1, 0, 0];
  let end = 0;
  for (const [i, height] of heights.entries()) {
    const isIn = at < bottom && at + height > top;
    if (isIn && first < 0) first = i;
    if (isIn) end = i + 1;
    else if (first < 0) above += height;
    else below += height;
    at += height;
  }
  return first < 0 ? { first: 0, end: 0, above: 0, below: at } : { first, end, above, below };
}

/** How far below the top of the log a line (from 1 on) begins, as far as that is known. */
export function offsetOf(heights: readonly number[], line: number): number {
  const chunk = Math.floor((line - 1) / CHUNK);
  const before = heights.slice(0, chunk).reduce((sum, height) => sum + height, 0);
  return before + ((line - 1) % CHUNK) * LINE_PX;
}
