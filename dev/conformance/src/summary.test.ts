import { expect, test } from 'vitest';
import { mergeResults, type SpecResult } from './report/results.ts';
import { summary } from './summary.ts';

const one: SpecResult = { name: 'one', state: 'pass', seconds: 1, reason: null };
const two: SpecResult = { name: 'two', state: 'fail', seconds: 1, reason: 'broken' };

test('[CONF8] a full run says the score, and the names of what changed', () => {
  const results = mergeResults('suite', ['one', 'two'], [one, two], 1);
  const changes = { regressions: ['two'], newPasses: ['one'] };
  expect(summary('local', { ran: [one, two], results, changes })).toBe(
    'local: 1 of 2 passed\nregressions (1):\n  two\nnew passes (1):\n  one\n',
  );
});

test('[CONF6] a focused run says what it ran first', () => {
  const results = mergeResults('suite', ['one', 'two'], [two], 1);
  expect(summary('local', { ran: [two], results, changes: { regressions: [], newPasses: [] } })).toBe(
    'local: ran 1, of which 0 passed\nlocal: 0 of 2 passed\n',
  );
});

test('[CONF8] every regression is named; of many new passes the first twenty are', () => {
  const names = Array.from({ length: 25 }, (_, index) => `spec ${index}`);
  const results = mergeResults('suite', ['one'], [one], 1);
  const text = summary('local', { ran: [one], results, changes: { regressions: names, newPasses: names } });
  expect(text.match(/spec 24/g)).toHaveLength(1);
  expect(text).toMatch(/spec 19\n {2}\.\.\. and 5 more\n$/);
});
