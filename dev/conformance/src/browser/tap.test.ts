import { expect, test } from 'vitest';
import { readTapLine } from './tap.ts';

test('[CONF31] the end of a test is read from the lines that ava prints', () => {
  expect(readTapLine('ok 1 - build › can be switched between')).toEqual({
    name: 'build › can be switched between',
    passed: true,
  });
  expect(readTapLine('not ok 12 - smoke › reaching the internet')).toEqual({
    name: 'smoke › reaching the internet',
    passed: false,
  });
  for (const line of ['TAP version 13', '1..13', '# BROWSER (log): ok 1 - x', '  ok 3 - x', 'ok']) {
    expect(readTapLine(line)).toBeUndefined();
  }
});
