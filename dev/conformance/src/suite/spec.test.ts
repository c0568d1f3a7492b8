import { expect, test } from 'vitest';
import { ginkgoFocus, nameSpecs, selectSpecs } from './spec.ts';

const specs = nameSpecs([
  { text: 'A do step works', file: 'do_test.go', line: 5 },
  { text: 'A try step (of 2) costs $3 [a|b] a.b', file: 'try_test.go', line: 5 },
  { text: 'A do step works', file: 'do_test.go', line: 9 },
]);

test.each([
  ['the name', /do step/, ['A do step works', 'A do step works (2)']],
  ['the second of two', /works \(2\)$/, ['A do step works (2)']],
  ['the file', /^try_test/, ['A try step (of 2) costs $3 [a|b] a.b']],
  ['nothing', /undo/, []],
])('[CONF13] focus on %s', (_, focus, names) => {
  expect(selectSpecs(specs, focus).map(({ name }) => name)).toEqual(names);
});

test('[CONF13] without a focus every spec is selected', () => {
  expect(selectSpecs(specs, undefined)).toEqual(specs);
});

test('[CONF13] the pattern for Ginkgo matches the whole text of the selected specs and nothing else', () => {
  const pattern = new RegExp(ginkgoFocus('A Suite', selectSpecs(specs, /try/)));
  expect(pattern.test('A Suite A try step (of 2) costs $3 [a|b] a.b')).toBe(true);
  expect(pattern.test('A Suite A try step (of 2) costs $3 [a|b] a.b.')).toBe(false);
  expect(pattern.test('A Suite A try step (of 2) costs $3 [a|b] axb')).toBe(false);
  expect(pattern.test('A Suite A do step works')).toBe(false);
});

test('[CONF13] two specs with one text are one alternative', () => {
  expect(ginkgoFocus('S', selectSpecs(specs, /do step/))).toBe('^S (?:A do step works)$');
});
