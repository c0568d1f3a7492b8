import { expect, test } from 'vitest';
import { summaryLine, type VitestReport } from './summary-line.ts';

const none: VitestReport = {
  numPassedTests: 0,
  numFailedTests: 0,
  numPendingTests: 0,
  numTodoTests: 0,
  testResults: [],
};

test('counts passed and failed tests', () => {
  const assertionResults = [{ status: 'passed' }, { status: 'failed' }];
  const testResults = [{ status: 'failed', assertionResults }];
  expect(summaryLine({ ...none, numPassedTests: 3, numFailedTests: 1, testResults })).toBe('3 passed, 1 failed');
});

test('names skipped tests only when there are some', () => {
  expect(summaryLine({ ...none, numPassedTests: 3, numPendingTests: 2 })).toBe('3 passed, 0 failed, 2 skipped');
});

test('a file that did not load is a failure though no test of it ran', () => {
  const testResults = [{ status: 'failed', assertionResults: [{ status: 'passed' }] }];
  expect(summaryLine({ ...none, numPassedTests: 1, testResults })).toBe('1 passed, 1 failed');
});
