import { expect, test } from 'vitest';
import { nameSpecs } from '../suite/spec.ts';
import { type GinkgoSpecReport, parseGinkgoReport, resultsOf, specsOf } from './ginkgo-report.ts';

function specReport(text: string, line: number, more: Partial<GinkgoSpecReport> = {}): GinkgoSpecReport {
  return {
    ContainerHierarchyTexts: ['A job'],
    LeafNodeType: 'It',
    LeafNodeText: text,
    LeafNodeLocation: { FileName: 'github.com/concourse/concourse/testflight/job_test.go', LineNumber: line },
    State: 'passed',
    RunTime: 1_600_000_000,
    ...more,
  };
}

const SET_UP = specReport('', 66, { ContainerHierarchyTexts: null, LeafNodeType: 'SynchronizedBeforeSuite' });

function reportOf(specs: readonly GinkgoSpecReport[], special: string[] | null = null) {
  return parseGinkgoReport(
    JSON.stringify([
      { SuiteDescription: 'A Suite', SpecialSuiteFailureReasons: special, RunTime: 1, SpecReports: [SET_UP, ...specs] },
    ]),
  );
}

const dryRun = reportOf([specReport('works', 10), specReport('stops', 20), specReport('works', 30)]);
const specs = nameSpecs(specsOf(dryRun));
const [works, stops, worksAgain] = specs;

test('[CONF4] specs with the same text are numbered in the order of the source, whatever the order of the report', () => {
  expect(specs.map(({ name, line }) => [name, line])).toEqual([
    ['A job works', 10],
    ['A job stops', 20],
    ['A job works (2)', 30],
  ]);
  const backwards = reportOf([specReport('works', 30, { State: 'failed' }), specReport('works', 10)]);
  const results = resultsOf(
    backwards,
    [works, worksAgain].filter((spec) => spec !== undefined),
  );
  expect(results.map(({ name, state }) => [name, state])).toEqual([
    ['A job works', 'pass'],
    ['A job works (2)', 'fail'],
  ]);
});

test('[CONF1] only the selected specs have a result, and set-up nodes have none', () => {
  const report = reportOf([specReport('works', 10), specReport('stops', 20, { State: 'skipped' })]);
  expect(resultsOf(report, specs.slice(0, 1))).toEqual([
    { name: 'A job works', state: 'pass', seconds: 2, reason: null },
  ]);
});

test('[CONF1] a spec that the report lacks or that was passed over has failed, with the reason of the suite', () => {
  const report = reportOf([specReport('stops', 20, { State: 'skipped' })], ['Suite Timeout Elapsed']);
  const reason = 'it was not run: Suite Timeout Elapsed';
  expect(resultsOf(report, specs.slice(0, 2))).toEqual([
    { name: 'A job works', state: 'fail', seconds: 0, reason },
    { name: 'A job stops', state: 'fail', seconds: 0, reason },
  ]);
});

test('[CONF2] a failed set-up fails every spec', () => {
  const setUp: GinkgoSpecReport = {
    ...SET_UP,
    State: 'failed',
    Failure: { Message: 'could not log in', Location: { FileName: '/x/suite_test.go', LineNumber: 225 } },
    CapturedGinkgoWriterOutput: 'error: 503\n',
  };
  const report = parseGinkgoReport(
    JSON.stringify([
      { SuiteDescription: 'A Suite', SpecialSuiteFailureReasons: null, RunTime: 1, SpecReports: [setUp] },
    ]),
  );
  const reason = "the suite's set-up failed: could not log in (suite_test.go:225); last output: error: 503";
  expect(resultsOf(report, specs).map((result) => result.reason)).toEqual([reason, reason, reason]);
  expect(resultsOf(report, specs).every(({ state }) => state === 'fail')).toBe(true);
});

test('[CONF3] a spec that skips itself is skipped with its own words', () => {
  const Failure = { Message: 'swap limits not enabled', Location: { FileName: 'job_test.go', LineNumber: 21 } };
  const report = reportOf([specReport('stops', 20, { State: 'skipped', Failure })]);
  expect(resultsOf(report, stops ? [stops] : [])).toEqual([
    { name: 'A job stops', state: 'skipped', seconds: 2, reason: 'swap limits not enabled' },
  ]);
});

test.each(['failed', 'panicked', 'timedout', 'interrupted', 'aborted'])(
  '[CONF1] the state %s is a failure',
  (State) => {
    const report = reportOf([specReport('stops', 20, { State })]);
    expect(resultsOf(report, stops ? [stops] : [])).toMatchObject([{ state: 'fail', reason: State }]);
  },
);

test('[CONF5] a reason has the expectation, its place and the last lines before the failure, not the clean-up after it', () => {
  const output = 'initializing\n\u001b[31mfäiled\u001b[0m\r\n\n';
  const Failure = {
    Message: 'Output: initializing\nfäiled\n\nExpected\n    <int>: 2\nto equal\n    <int>: 0',
    Location: { FileName: '/build/suite_test.go', LineNumber: 290 },
    TimelineLocation: { Offset: Buffer.byteLength(output) },
  };
  const CapturedGinkgoWriterOutput = `${output}'tf-pipeline' deleted\n`;
  const report = reportOf([specReport('stops', 20, { State: 'failed', Failure, CapturedGinkgoWriterOutput })]);
  expect(resultsOf(report, stops ? [stops] : [])[0]?.reason).toBe(
    'Expected <int>: 2 to equal <int>: 0 (suite_test.go:290); last output: initializing / fäiled',
  );
});

test('[CONF1] a report of two suites, or of none, is refused', () => {
  expect(() => parseGinkgoReport('[]')).toThrow('exactly one suite');
  expect(() => parseGinkgoReport('[{}, {}]')).toThrow('exactly one suite');
});

test('[CONF19] a spec that hung and those behind it say that the suite was interrupted, and why', () => {
  const Failure = { Message: 'Interrupted by User', Location: { FileName: 'job_test.go', LineNumber: 24 } };
  const report = reportOf([specReport('stops', 20, { State: 'interrupted', Failure })], ['Interrupted by User']);
  const because = 'interrupted, because no spec had ended for 7 minutes';
  expect(resultsOf(report, specs.slice(0, 2), because).map(({ state, reason }) => [state, reason])).toEqual([
    ['fail', `it was not run: the suite was ${because}`],
    ['fail', `${because} (job_test.go:24)`],
  ]);
});
