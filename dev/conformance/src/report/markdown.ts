import { whyKnown } from '../browser/browser-summary.ts';
import type { EndedTest } from '../browser/tap.ts';
import type { ExpectedDifference } from './expected.ts';
import { compareNames, type Results, type SpecResult } from './results.ts';

export interface HostResults {
  readonly host: string;
  readonly results: Results;
}

/** The results of Concourse's own browser tests. */
export interface BrowserResults {
  readonly host: string;
  readonly tests: readonly EndedTest[];
}

/** A reason that this many specs of a host share is written once, above the table. */
const SHARED_BY = 4;

const INTRODUCTION = `# Conformance

Made by \`npm run conformance\`; do not edit. The score is Concourse's own acceptance suite, *testflight*, unmodified,
run with the real \`fly\`. The column *concourse* is the real Concourse on the same machine with the same *mock*
resource type: what can be reached. A focused run updates single specs, so a column can come from several runs; the
seconds are those of the last full run. How it is run: [dev/conformance](../dev/conformance/README.md); why:
[ADR 0013](adr/0013-conformance.md).
`;

/** The page for people: a summary, what is known to differ, the browser tests, and every spec with one column a host. */
export function renderMarkdown(
  all: readonly HostResults[],
  expected: readonly ExpectedDifference[],
  browser?: BrowserResults,
): string {
  const shared = sharedReasons(all);
  return [
    INTRODUCTION,
    ...renderSummary(all),
    '',
    ...renderExpected(expected),
    ...(browser ? renderBrowser(browser) : []),
    ...renderShared(shared),
    ...renderSpecs(all, shared),
    '',
  ].join('\n');
}

function renderSummary(all: readonly HostResults[]): string[] {
  return [
    ...tableHead(['host', 'suite', 'passed', 'of', 'seconds']),
    ...all.map(({ host, results: { suite, passed, total, seconds } }) =>
      row([host, suite, `**${passed}**`, String(total), seconds > 0 ? String(seconds) : '']),
    ),
  ];
}

function renderExpected(expected: readonly ExpectedDifference[]): string[] {
  if (expected.length === 0) return [];
  return [
    '## Known differences',
    '',
    'These are still counted as what they are.',
    '',
    ...tableHead(['spec', 'hosts', 'why']),
    ...expected.map(({ name, hosts, reason }) => row([escapeCell(name), hosts.join(', '), escapeCell(reason)])),
    '',
  ];
}

function renderBrowser({ host, tests }: BrowserResults): string[] {
  const passed = tests.filter((test) => test.passed).length;
  return [
    '## Browser tests',
    '',
    `Concourse's own browser tests, \`web/wats\`, unmodified, in Chromium on the host *${host}*: **${passed}** of ${tests.length} passed.`,
    '',
    ...tableHead(['test', host]),
    ...tests
      .toSorted((a, b) => compareNames(a.name, b.name))
      .map((test) => row([escapeCell(test.name), test.passed ? 'pass' : failure(test)])),
    '',
  ];
}

function failure({ name }: EndedTest): string {
  const why = whyKnown(name);
  return why === undefined ? 'fail' : `fail: ${escapeCell(why)}`;
}

/** Letters for the reasons that many specs share, in the order they are met. */
function sharedReasons(all: readonly HostResults[]): Map<string, string> {
  const letters = new Map<string, string>();
  for (const { results } of all) {
    const byReason = Map.groupBy(
      results.specs.filter(({ reason }) => reason !== null),
      ({ reason }) => reason as string,
    );
    for (const [reason, specs] of byReason) {
      if (specs.length >= SHARED_BY && !letters.has(reason)) letters.set(reason, letterOf(letters.size));
    }
  }
  return letters;
}

function letterOf(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : `Z${index - 25}`;
}

function renderShared(shared: ReadonlyMap<string, string>): string[] {
  if (shared.size === 0) return [];
  return [
    '## Reasons that many specs share',
    '',
    ...[...shared].map(([reason, letter]) => `- **${letter}**: ${escapeCell(reason)}`),
    '',
  ];
}

function renderSpecs(all: readonly HostResults[], shared: ReadonlyMap<string, string>): string[] {
  const columns = all.map(({ results }) => new Map(results.specs.map((spec) => [spec.name, spec])));
  const names = [...new Set(columns.flatMap((column) => [...column.keys()]))].sort(compareNames);
  return [
    '## Every spec',
    '',
    ...tableHead(['spec', ...all.map(({ host }) => host)]),
    ...names.map((name) => row([escapeCell(name), ...columns.map((column) => cell(column.get(name), shared))])),
  ];
}

function cell(spec: SpecResult | undefined, shared: ReadonlyMap<string, string>): string {
  if (!spec) return '';
  if (spec.reason === null) return spec.state;
  const letter = shared.get(spec.reason);
  return letter ? `${spec.state} **${letter}**` : `${spec.state}: ${escapeCell(spec.reason)}`;
}

function tableHead(columns: readonly string[]): string[] {
  return [row(columns), row(columns.map(() => '---'))];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/** Text as it is, on one line, with nothing in it that Markdown or HTML would act on. */
function escapeCell(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_{}[\]|#~]/g, '\\$&')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;');
}
