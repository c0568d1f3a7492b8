import type { Glob } from './glob.ts';

/** Finds the names that may match a pattern, by their beginning or end, without looking at all of them. */
export interface NameIndex {
  /** The names that begin as the pattern does. If it begins with a wildcard: the names that end as it does. */
  candidates(pattern: Pick<Glob, 'start' | 'end'>): string[];
}

export function indexNames(names: Iterable<string>): NameIndex {
  const byStart = [...names].sort();
  const byEnd = byStart.map(reversed).sort();
  return {
    candidates: ({ start, end }) => (start === '' ? below(byEnd, reversed(end)).map(reversed) : below(byStart, start)),
  };
}

/** The texts of a sorted list that begin with `start`. */
function below(sorted: readonly string[], start: string): string[] {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as string) < start) from = middle + 1;
    else to = middle;
  }
  let end = from;
  while (sorted[end]?.startsWith(start)) end++;
  return sorted.slice(from, end);
}

function reversed(text: string): string {
  return text.split('').reverse().join('');
}
