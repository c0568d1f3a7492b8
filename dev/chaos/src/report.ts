import type { RunResult } from './run.ts';

/** The table of a run, and every broken rule with its evidence. */
export function report({ violations, hits, outcomes }: RunResult, seed: string): string {
  const rows = (title: string, counts: ReadonlyMap<string, number>) => [
    title,
    ...[...counts].sort().map(([name, count]) => `  ${name.padEnd(28)} ${String(count).padStart(5)}`),
  ];
  const broken = violations.map(
    ({ build, step, expected, seen }) =>
      `VIOLATION\n  build     ${build}\n  step      ${step}\n  expected  ${expected}\n  seen      ${seen}`,
  );
  const total = [...hits.values()].reduce((sum, count) => sum + count, 0);
  return [
    ...rows('faults', hits),
    ...rows('builds: expected -> seen', outcomes),
    ...broken,
    `seed ${seed}: ${total} faults, ${violations.length} violations`,
  ].join('\n');
}
