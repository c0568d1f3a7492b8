/** A version number as tags have them: `1`, `1.2`, `v1.2.3`, `1.2.3-rc.1+build`. */
export interface Semver {
  readonly numbers: readonly [number, number, number];
  readonly prerelease: string;
  readonly build: string;
  readonly original: string;
}

const FORM =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** Undefined for a text that is not a version number. */
export function parseSemver(text: string): Semver | undefined {
  const match = FORM.exec(text);
  if (!match) return undefined;
  const [, major, minor, patch, prerelease = '', build = ''] = match;
  return { numbers: [Number(major), Number(minor ?? 0), Number(patch ?? 0)], prerelease, build, original: text };
}

/** All three numbers, without a `v`. */
export function formatSemver({ numbers, prerelease, build }: Semver): string {
  return `${numbers.join('.')}${prerelease && `-${prerelease}`}${build && `+${build}`}`;
}

/** Negative when `a` comes before `b`. https://semver.org, section 11 */
export function compareSemver(a: Semver, b: Semver): number {
  for (const i of [0, 1, 2] as const) {
    if (a.numbers[i] !== b.numbers[i]) return a.numbers[i] - b.numbers[i];
  }
  if (a.prerelease === b.prerelease) return 0;
  if (a.prerelease === '' || b.prerelease === '') return a.prerelease === '' ? 1 : -1;
  const [left, right] = [a.prerelease.split('.'), b.prerelease.split('.')];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = comparePart(left[i], right[i]);
    if (order !== 0) return order;
  }
  return 0;
}

function comparePart(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
  const [isNumberA, isNumberB] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (isNumberA && isNumberB) return Number(a) - Number(b);
  if (isNumberA !== isNumberB) return isNumberA ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
