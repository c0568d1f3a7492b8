import { expect, test } from 'vitest';
import { compareSemver, formatSemver, parseSemver, type Semver } from './semver.ts';
import { parseConstraint } from './semver-constraint.ts';

function satisfies(constraint: string, version: string): boolean {
  return parseConstraint(constraint)(parseSemver(version) as Semver);
}

test('[BT32] version numbers of tags', () => {
  const sorted = [
    '0.1',
    '1.0.0-alpha',
    '1.0.0-alpha.1',
    '1.0.0-beta.2',
    '1.0.0-beta.11',
    '1.0.0-rc.1',
    '1',
    '1.2',
    'v1.10',
  ];
  const shuffled = sorted.toReversed().map((text) => parseSemver(text) as Semver);
  expect(shuffled.sort(compareSemver).map(({ original }) => original)).toEqual(sorted);
  expect(formatSemver(parseSemver('v1.2-rc.1+b') as Semver)).toBe('1.2.0-rc.1+b');
  for (const bad of ['latest', '1.2.3.4', '', 'v', '1.2.3-', 'stretch-1.2']) expect(parseSemver(bad)).toBeUndefined();
});

test.each([
  ['1.2.3', ['1.2.3'], ['1.2.4', '1.2.3-rc.1']],
  ['1.2', ['1.2.0', '1.2.9'], ['1.3.0']],
  ['~1.2.x', ['1.2.0', '1.2.9'], ['1.3.0', '1.1.9']],
  ['~1.2.3', ['1.2.3', '1.2.9'], ['1.2.2', '1.3.0']],
  ['~1', ['1.0.0', '1.9.0'], ['2.0.0']],
  ['^1.2.3', ['1.2.3', '1.9.0'], ['1.2.2', '2.0.0']],
  ['^0.2.3', ['0.2.3', '0.2.9'], ['0.3.0']],
  ['^0.0.3', ['0.0.3'], ['0.0.4']],
  ['>= 1.2 < 3.0.0 || >= 4.2.3', ['1.2.0', '2.9.9', '4.2.3', '5.0.0'], ['1.1.9', '3.0.0', '4.2.2']],
  ['>= 1.2, < 3', ['1.2.0', '2.9.9'], ['3.0.0']],
  ['> 1.2', ['1.3.0'], ['1.2.0', '1.2.5']],
  ['<= 1.2', ['1.2.9', '1.0.0'], ['1.3.0']],
  ['!= 1.2.3', ['1.2.4'], ['1.2.3']],
  ['1.2 - 1.4.5', ['1.2.0', '1.4.5'], ['1.4.6', '1.1.0']],
  ['*', ['0.0.1', '9.0.0'], ['1.0.0-rc.1']],
  ['>= 1.0.0-0', ['1.0.0-rc.1', '1.0.0'], ['0.9.0']],
])('[BT32] the constraint %s', (constraint, yes, no) => {
  expect(yes.filter((version) => satisfies(constraint, version))).toEqual(yes);
  expect(no.filter((version) => satisfies(constraint, version))).toEqual([]);
});

test.each(['', 'abc', '1.2.3.4', '>', '>= x y z', '1 & 2'])('[BT32] %j is not a constraint', (text) => {
  expect(() => satisfies(text, '1.0.0')).toThrow('not a semver constraint');
});
