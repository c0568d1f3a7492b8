import { compareSemver, type Semver } from './semver.ts';

type Test = (version: Semver) => boolean;

const PART =
  /^(=|!=|>=|=>|<=|=<|>|<|~>|~|\^)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const TOKEN = /(?:[=!<>~^]+\s*)?[^\s,|<>=!~^]+/g;

/**
 * Reads `>= 1.2, < 3.0 || ~4.1.x`: parts beside each other must all hold, and one of the groups between `||`. Versions with
 * a prerelease count only for parts that name one. Throws for a text that is not a constraint.
 */
export function parseConstraint(text: string): Test {
  const groups = text.split('||').map((group) => parseGroup(group.trim(), text));
  return (version) => groups.some((tests) => tests.every((test) => test(version)));
}

function parseGroup(group: string, whole: string): Test[] {
  const ranged = group.replace(/(\S+)\s+-\s+(\S+)/g, '>=$1 <=$2');
  const tokens = ranged.match(TOKEN) ?? [];
  if (tokens.length === 0 || ranged.replaceAll(TOKEN, '').replace(/[\s,]/g, '') !== '') throw bad(whole);
  return tokens.map((token) => parsePart(token, whole));
}

function parsePart(token: string, whole: string): Test {
  const match = PART.exec(token.trim());
  if (!match) throw bad(whole);
  const [, operator = '', ...rest] = match;
  const parts = rest.slice(0, 3);
  const given = parts.findIndex((part) => part === undefined || /[xX*]/.test(part));
  const known = given < 0 ? 3 : given;
  const numbers = parts.map((part, i) => (i < known ? Number(part) : 0)) as [number, number, number];
  const prerelease = (rest[3] ?? '').slice(1);
  const low: Semver = { numbers, prerelease, build: '', original: token };
  const test = testOf(operator, low, known);
  return (version) => (version.prerelease === '' || prerelease !== '') && test(version);
}

function testOf(operator: string, low: Semver, known: number): Test {
  const from: Test = (version) => compareSemver(version, low) >= 0;
  const isWithin =
    (digits: number): Test =>
    (version) =>
      from(version) && hasSame(version, low, digits);
  switch (operator) {
    case '':
    case '=':
      return known === 3 ? (version) => compareSemver(version, low) === 0 : isWithin(known);
    case '!=':
      return known === 3 ? (version) => compareSemver(version, low) !== 0 : (version) => !hasSame(version, low, known);
    case '>':
      return (version) => compareSemver(version, low) > 0 && (known === 3 || !hasSame(version, low, known));
    case '>=':
    case '=>':
      return from;
    case '<':
      return (version) => compareSemver(version, low) < 0;
    case '<=':
    case '=<':
      return (version) => compareSemver(version, low) <= 0 || (known < 3 && hasSame(version, low, known));
    case '~':
    case '~>':
      return isWithin(Math.min(known, 2));
    default: {
      // ^: up to the first number that is not zero
      const first = low.numbers.findIndex((number, i) => number !== 0 || i === known - 1);
      return isWithin(Math.max(first, 0) + 1);
    }
  }
}

function hasSame(version: Semver, low: Semver, digits: number): boolean {
  return version.numbers.slice(0, digits).every((number, i) => number === low.numbers[i]);
}

function bad(text: string): Error {
  return new Error(`not a semver constraint: ${JSON.stringify(text)}`);
}
