import type { EndedTest } from './tap.ts';

/** The tests that cannot pass, with the reason. */
const KNOWN: Readonly<Record<string, string>> = {
  'smoke › reaching the internet': 'it needs the internet, and a development machine may have none',
};

/** Why a test is known to fail. */
export function whyKnown(name: string): string | undefined {
  return KNOWN[name];
}

/** The tests that failed and are not known to. */
export function regressionsIn(tests: readonly EndedTest[]): readonly string[] {
  return tests.filter(({ passed, name }) => !passed && KNOWN[name] === undefined).map(({ name }) => name);
}

/** The lines that a run prints on stdout. */
export function browserSummary(host: string, tests: readonly EndedTest[]): string {
  const passed = tests.filter((test) => test.passed).length;
  const failed = tests
    .filter((test) => !test.passed)
    .map(({ name }) => (KNOWN[name] === undefined ? `  ${name}` : `  ${name} (${KNOWN[name]})`));
  const lines = [`${host}: ${passed} of ${tests.length} browser tests passed`];
  if (failed.length > 0) lines.push(`failed (${failed.length}):`, ...failed);
  return `${lines.join('\n')}\n`;
}
