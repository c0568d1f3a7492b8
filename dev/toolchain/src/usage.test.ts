import { expect, test } from 'vitest';
import { parseStrictly, parseWholeNumber, refuseSurplus, UsageError } from './usage.ts';

test('options are read, and what is not one is refused', () => {
  const options = { size: { type: 'string' } } as const;
  expect(parseStrictly({ args: ['--size', '3'], options }).values.size).toBe('3');
  for (const args of [['--colour'], ['--size'], ['more']]) {
    expect(() => parseStrictly({ args, options })).toThrow(UsageError);
  }
});

test('an operand too many is refused', () => {
  refuseSurplus(['a'], 1);
  expect(() => refuseSurplus(['a', 'b'], 1, '; say less')).toThrow("unexpected argument 'b'; say less");
});

test('a whole number is one within its limits', () => {
  expect(parseWholeNumber('--procs', '64', 1, 64)).toBe(64);
  for (const text of ['', '0', '65', '-1', '1.5', '1e1', 'x']) {
    expect(() => parseWholeNumber('--procs', text, 1, 64)).toThrow(
      `--procs is a whole number from 1 to 64, not '${text}'`,
    );
  }
});
