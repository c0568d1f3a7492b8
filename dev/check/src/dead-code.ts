/**
 * Arguments of knip that find exports which nobody uses but tests: files of `testing/` folders and `*.test.ts` count as
 * users in the ordinary gate, so that tests can't be dead either, and do not count in this one.
 */
export const DEAD_BUT_FOR_TESTS: readonly string[] = [
  '-c',
  'knip.product.json',
  '--include',
  'files,exports,types',
  '--no-progress',
  '--no-config-hints',
];
