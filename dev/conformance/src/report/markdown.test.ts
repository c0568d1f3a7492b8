import { expect, test } from 'vitest';
import { renderMarkdown } from './markdown.ts';
import { mergeResults, type Results, type SpecResult } from './results.ts';

function resultsWith(specs: readonly SpecResult[]): Results {
  return mergeResults(
    'suite v1',
    specs.map(({ name }) => name),
    specs,
    61,
  );
}

const kubernetes = resultsWith([
  { name: 'one', state: 'pass', seconds: 3, reason: null },
  { name: 'two', state: 'fail', seconds: 3, reason: 'Expected <int>: 1 | `x`' },
]);
const concourse = resultsWith([
  { name: 'one', state: 'pass', seconds: 3, reason: null },
  { name: 'three', state: 'skipped', seconds: 0, reason: 'no swap' },
]);
const all = [
  { host: 'kubernetes', results: kubernetes },
  { host: 'concourse', results: concourse },
];

test('[CONF10] the summary has a row a host', () => {
  const page = renderMarkdown(all, []);
  expect(page).toContain('| kubernetes | suite v1 | **1** | 2 | 61 |');
  expect(page).toContain('| concourse | suite v1 | **1** | 2 | 61 |');
});

test('[CONF10] [CONF11] every spec of any host has a row, with a column a host and text that cannot break it', () => {
  const table = renderMarkdown(all, []).split('## Every spec\n\n')[1];
  expect(table?.split('\n')).toEqual([
    '| spec | kubernetes | concourse |',
    '| --- | --- | --- |',
    '| one | pass | pass |',
    '| three |  | skipped: no swap |',
    '| two | fail: Expected &lt;int>: 1 \\| \\`x\\` |  |',
    '',
  ]);
});

test('[CONF11] a reason that four specs share is written once, with a letter in the table', () => {
  const failed = ['a', 'b', 'c', 'd'].map(
    (name): SpecResult => ({ name, state: 'fail', seconds: 0, reason: 'no *API*' }),
  );
  const page = renderMarkdown([{ host: 'local', results: resultsWith(failed) }], []);
  expect(page.match(/no \\\*API\\\*/g)).toHaveLength(1);
  expect(page).toContain('- **A**: no \\*API\\*');
  expect(page).toContain('| d | fail **A** |');
  const three = renderMarkdown([{ host: 'local', results: resultsWith(failed.slice(1)) }], []);
  expect(three).toContain('| d | fail: no \\*API\\* |');
});

test('[CONF9] a known difference is listed and the result stays what it is', () => {
  const page = renderMarkdown(all, [{ name: 'two', hosts: ['kubernetes'], reason: 'by design' }]);
  expect(page).toContain('| two | kubernetes | by design |');
  expect(page).toContain('| two | fail: ');
  expect(page).toContain('| kubernetes | suite v1 | **1** | 2 | 61 |');
});
