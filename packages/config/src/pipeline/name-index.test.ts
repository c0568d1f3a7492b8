import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compileGlob, compilePassed, type Glob } from './glob.ts';
import { indexNames } from './name-index.ts';

const count = 2_000;
const numbers = Array.from({ length: count }, (_, index) => String(index).padStart(4, '0'));

test.each([
  ['job-%*', 'at the beginning'],
  ['*-%', 'at the end'],
  ['{job,jib}-%', 'at the end, after braces'],
])('[CFG-VALID5] a pattern such as %s is tried only on names with the same text %s', (written) => {
  const index = indexNames(numbers.map((number) => `job-${number}`));
  const globs = numbers.map((number) => compileGlob(written.replace('%', number)) as Glob);
  const tried = globs.map((glob) => index.candidates(glob).length);
  expect(tried).toEqual(Array(count).fill(1));
});

test('[CFG-VALID5] [CFG-VALID6] the names with the text of a pattern hold all that match', () => {
  const letter = fc.constantFrom('a', 'b', '/', '\u{1f680}');
  const piece = fc.constantFrom('a', 'b', '/', '*', '?', '[a-b]', '{a,b}', '\\*', '\u{1f680}');
  const texts = fc.array(fc.string({ unit: letter, maxLength: 5 }), { maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.array(piece, { maxLength: 4 }), (names, pieces) => {
      const index = indexNames(new Set(names));
      for (const glob of [compileGlob(pieces.join('')), compilePassed(pieces.join(''))]) {
        if (!glob) continue;
        const matching = [...new Set(names)].filter((name) => glob.test(name));
        expect(index.candidates(glob)).toEqual(expect.arrayContaining(matching));
      }
    }),
  );
});

test('[CFG-VALID5] a pattern of stars matches what its pieces match one by one', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 });
  fc.assert(
    fc.property(text, fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 }), (pattern, name) => {
      const asRegExp = new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
      expect(compileGlob(pattern)?.test(name)).toBe(asRegExp.test(name));
      expect(compilePassed(pattern)?.test(name)).toBe(asRegExp.test(name));
    }),
  );
});
