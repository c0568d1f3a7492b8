export interface DiffLine {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** More comparisons would take seconds. The lines between the first and the last difference are then all replaced. */
const MOST_COMPARISONS = 4_000_000;

/** Compares two texts line by line: the fewest lines that must be removed and added, removals first. */
export function diffLines(before: readonly string[], after: readonly string[]): DiffLine[] {
  const head = countEqual(before, after, (lines, index) => lines[index]);
  const tail = countEqual(before.slice(head), after.slice(head), (lines, index) => lines.at(-1 - index));
  const middle = diffAll(before.slice(head, before.length - tail), after.slice(head, after.length - tail));
  return [...same(before.slice(0, head)), ...middle, ...same(before.slice(before.length - tail))];
}

type LineAt = (lines: readonly string[], index: number) => string | undefined;

function countEqual(a: readonly string[], b: readonly string[], at: LineAt): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && at(a, count) === at(b, count)) count++;
  return count;
}

function same(lines: readonly string[]): DiffLine[] {
  return lines.map((text) => ({ kind: 'same', text }));
}

function diffAll(before: readonly string[], after: readonly string[]): DiffLine[] {
  const left = before.map((text): DiffLine => ({ kind: 'removed', text }));
  const right = after.map((text): DiffLine => ({ kind: 'added', text }));
  if (before.length * after.length > MOST_COMPARISONS) return [...left, ...right];
  const common = commonLengths(before, after);
  const at = (i: number, j: number) => common[i * (after.length + 1) + j] as number;
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    if (i < before.length && at(i, j) === at(i + 1, j)) lines.push(left[i++] as DiffLine);
    else if (j < after.length && at(i, j) === at(i, j + 1)) lines.push(right[j++] as DiffLine);
    else {
      lines.push({ kind: 'same', text: before[i++] as string });
      j++;
    }
  }
  return lines;
}

/** A table: how many lines are common to `before` from line i on and `after` from line j on, at most. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint32Array {
  const width = after.length + 1;
  const table = new Uint32Array((before.length + 1) * width);
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      const at = i * width + j;
      const [down, right] = [table[at + width] as number, table[at + 1] as number];
      table[at] = before[i] === after[j] ? (table[at + width + 1] as number) + 1 : Math.max(down, right);
    }
  }
  return table;
}
