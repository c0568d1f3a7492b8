export type SpecState = 'pass' | 'fail' | 'skipped';

export interface SpecResult {
  readonly name: string;
  readonly state: SpecState;
  /** Whole seconds, so that two runs differ little. */
  readonly seconds: number;
  /** Why it did not pass, in one line that does not change from run to run; null when it passed. */
  readonly reason: string | null;
}

/** One host's score: what docs/conformance/HOST.json holds. */
export interface Results {
  readonly suite: string;
  readonly total: number;
  readonly passed: number;
  /** Wall time of the last full run. */
  readonly seconds: number;
  /** Every spec of the suite, sorted by name. */
  readonly specs: readonly SpecResult[];
}

const NEVER_RUN = 'never run on this host';

/**
 * The score after a run. A full run replaces the earlier one; a focused run changes only the specs it ran, and a spec
 * that no run has reached yet is skipped, not failed.
 */
export function mergeResults(
  suite: string,
  allNames: readonly string[],
  ran: readonly SpecResult[],
  seconds: number,
  earlier?: Results,
): Results {
  const isFull = ran.length === allNames.length;
  const byName = new Map<string, SpecResult>();
  if (!isFull) for (const spec of earlier?.specs ?? []) byName.set(spec.name, spec);
  for (const spec of ran) byName.set(spec.name, spec);
  const specs = [...allNames]
    .sort(compareNames)
    .map((name) => byName.get(name) ?? { name, state: 'skipped' as const, seconds: 0, reason: NEVER_RUN });
  const wall = isFull ? Math.round(seconds) : (earlier?.seconds ?? 0);
  return { suite, total: specs.length, passed: countPassed(specs), seconds: wall, specs };
}

export function countPassed(specs: readonly SpecResult[]): number {
  return specs.filter(({ state }) => state === 'pass').length;
}

export interface Changes {
  /** Passed in the committed results and did not pass now. */
  readonly regressions: readonly string[];
  readonly newPasses: readonly string[];
}

/** Compares a run with the committed results; only the specs that ran count. */
export function compareWithCommitted(ran: readonly SpecResult[], committed: Results | undefined): Changes {
  const before = new Map(committed?.specs.map(({ name, state }) => [name, state]));
  const namesOf = (keep: (spec: SpecResult) => boolean) => ran.filter(keep).map(({ name }) => name);
  return {
    regressions: namesOf(({ name, state }) => before.get(name) === 'pass' && state !== 'pass'),
    newPasses: namesOf(({ name, state }) => before.get(name) !== 'pass' && state === 'pass'),
  };
}

/** By code unit, whatever the machine's language is. */
export function compareNames(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
