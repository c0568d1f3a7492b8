import type { Difference } from './differences.ts';
import type { Meant } from './meant.ts';

export interface FileReport {
  readonly path: string;
  /** Differences that nobody has explained: mistakes, until they are. */
  readonly differences: readonly Difference[];
  /** Differences that are meant, with the reason. */
  readonly meant: readonly (readonly [Difference, Meant])[];
  /** Why less was compared than usual. */
  readonly remark?: string;
}

const MAX_VALUE = 300;

/** The lines that a comparison prints on stdout. */
export function reportText(reports: readonly FileReport[]): string {
  const lines = reports.flatMap(fileLines);
  const different = reports.filter(({ differences }) => differences.length > 0).length;
  const meant = reports.reduce((sum, report) => sum + report.meant.length, 0);
  lines.push(
    `${reports.length} files: ${reports.length - different} alike, ${different} different; ${meant} differences are meant`,
  );
  return `${lines.join('\n')}\n`;
}

function fileLines({ path, differences, meant, remark }: FileReport): string[] {
  const lines = [`${differences.length === 0 ? 'alike    ' : 'DIFFERENT'} ${path}${remark ? ` (${remark})` : ''}`];
  for (const difference of differences) lines.push(...differenceLines(difference));
  for (const [{ path: place }, { why }] of meant) lines.push(`    meant: ${place}: ${why}`);
  return lines;
}

function differenceLines({ path, concourse, ours }: Difference): string[] {
  const [theirs, our] = fromFirstDifference(show(concourse), show(ours));
  return [`  ${path}`, `    concourse: ${theirs}`, `    ours:      ${our}`];
}

function show(value: unknown): string {
  return value === undefined ? '(nothing)' : JSON.stringify(value);
}

/** Long texts are shown from shortly before the place where they part. */
function fromFirstDifference(a: string, b: string): [string, string] {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same++;
  const start = a.length > MAX_VALUE || b.length > MAX_VALUE ? Math.max(0, same - 60) : 0;
  const cut = (text: string) => (start > 0 ? '...' : '') + text.slice(start, start + MAX_VALUE);
  return [cut(a), cut(b)];
}
