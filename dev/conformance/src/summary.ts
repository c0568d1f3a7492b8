import type { Outcome } from './conformance.ts';
import { countPassed } from './report/results.ts';

/** What a run has to say on stdout. */
export function summary(host: string, { ran, results, changes }: Outcome): string {
  const lines = [`${host}: ${results.passed} of ${results.total} passed`];
  if (ran.length < results.total) {
    lines.unshift(`${host}: ran ${ran.length}, of which ${countPassed(ran)} passed`);
  }
  lines.push(...named('regressions', changes.regressions), ...named('new passes', changes.newPasses));
  return `${lines.join('\n')}\n`;
}

function named(what: string, names: readonly string[]): string[] {
  return names.length > 0 ? [`${what} (${names.length}):`, ...names.map((name) => `  ${name}`)] : [];
}
