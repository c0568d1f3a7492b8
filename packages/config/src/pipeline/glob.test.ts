import { describe, expect, test } from 'vitest';
import { compileGlob, compilePassed } from './glob.ts';

describe('patterns of a group', () => {
  test.each([
    ['*', 'any/thing', true],
    ['unit-*', 'unit-', true],
    ['unit-*', 'a-unit-b', false],
    ['?nit', 'unit', true],
    ['{a,b-{c,d}}', 'b-d', true],
    ['{a,b}', 'c', false],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['\\*', '*', true],
    ['\\*', 'x', false],
    ['a.b', 'axb', false],
    ['a,b', 'a,b', true],
    ['{a*,b}c', 'abac', true],
    ['{,a}b', 'b', true],
    ['*', '', true],
    ['**a', 'bba', true],
    ['a*a', 'a', false],
    ['a*b*c', 'abbc', true],
    ['a*bc*bc', 'abc', false],
    ['a*bc*c', 'abcxc', true],
    ['?', '\u{1f680}', true],
  ])('[CFG-VALID5] %s and %s', (pattern, name, matches) => {
    expect(compileGlob(pattern)?.test(name)).toBe(matches);
  });

  test.each(['[', '[]', '{a', 'a}', '[z-a]'])('[CFG-VALID5] %s is none', (pattern) => {
    expect(compileGlob(pattern)).toBeUndefined();
  });
});

test('[CFG-VALID5] a pattern with too many braces within braces is none, and overflows no stack', () => {
  const nested = (levels: number) => compileGlob(`${'{'.repeat(levels)}a${'}'.repeat(levels)}`);
  expect(nested(5_000)).toBeUndefined();
  expect(nested(50)?.test('a')).toBe(true);
});

test('[CFG-VALID5] a pattern of many stars is soon decided', () => {
  const pattern = `${'*a'.repeat(100)}*b`;
  const name = 'a'.repeat(300);
  expect(compileGlob(pattern)?.test(name)).toBe(false);
  expect(compileGlob(pattern)?.test(`${name}b`)).toBe(true);
  expect(compileGlob(`{${pattern},${pattern}}`)?.test(name)).toBe(false);
  expect(compilePassed(pattern)?.test(name)).toBe(false);
});

describe('patterns of passed', () => {
  test.each([
    ['a*', 'abc', true],
    ['a*', 'a/c', false],
    ['a?', 'ab', true],
    ['[^b]x', 'ax', true],
    ['[^b]x', 'bx', false],
    ['{a,b}', 'a', false],
    ['a*b*', 'axbx', true],
    ['a*b*', 'ax/bx', false],
    ['a/*b', 'a/xb', true],
    ['a.c', 'abc', false],
    ['a\\*', 'a*', true],
  ])('[CFG-VALID6] %s and %s', (pattern, name, matches) => {
    expect(compilePassed(pattern)?.test(name)).toBe(matches);
  });

  test.each(['[x', 'a\\', '[z-a]'])('[CFG-VALID6] %s is none', (pattern) => {
    expect(compilePassed(pattern)).toBeUndefined();
  });
});
