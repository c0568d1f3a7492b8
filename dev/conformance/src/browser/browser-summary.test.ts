import { expect, test } from 'vitest';
import { browserSummary, regressionsIn } from './browser-summary.ts';

const TESTS = [
  { name: 'login › password input does not autocomplete', passed: true },
  { name: 'build › shows abort hooks', passed: false },
  { name: 'smoke › reaching the internet', passed: false },
];

test('[CONF31] only a failure that is not known counts, and a known one has its reason', () => {
  expect(regressionsIn(TESTS)).toEqual(['build › shows abort hooks']);
  expect(browserSummary('local', TESTS)).toBe(
    [
      'local: 1 of 3 browser tests passed',
      'failed (2):',
      '  build › shows abort hooks',
      '  smoke › reaching the internet (it needs the internet, and a development machine may have none)',
      '',
    ].join('\n'),
  );
  expect(browserSummary('local', TESTS.slice(0, 1))).toBe('local: 1 of 1 browser tests passed\n');
});
