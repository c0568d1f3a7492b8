import type { Outcome } from './conformance.ts';
import { countPassed } from './report/results.ts';

/** A first run of a host would list them all. Regressions are always listed. */
const MAX_NEW_PASSES = 20;

/** The lines that a run prints on stdout. */
export function summary(host: string, { ran, results, changes }: Outcome): string {
  const lines = [`${host}: ${results.passed} of ${results.total} passed`];
  if (ran.length < results.total) {
    lines.unshift(`${host}: ran ${ran.length}, of which ${countPassed(ran)} passed`);
  }
  lines.push(...named('regressions', changes.regressions));
  lines.push(...named('new passes', changes.newPasses, MAX_NEW_PASSES));
  return `${lines.join('\n')}\n`;
}

function named(what: string, names: readonly string[], limit = names.length): string[] {
  if (names.length === 0) return [];
  const shown = names.slice(0, limit).map((name) => `  ${name}`);
  const more = names.length - shown.length;
  return [`${what} (${names.length}):`, ...shown, ...(more > 0 ? [`  ... and ${more} more`] : [])];
}
