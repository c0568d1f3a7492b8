import { expect, test } from 'vitest';
import { inWaves } from './beltloader.ts';

const input = (path: string) => ({ path, from: [] });

test('[BC12] inputs are loaded together, except after those that they lie within', () => {
  const paths = ['/w/a/b/c', '/w/x', '/w/a', '/w/ab', '/w/a/b', '/w/y/z'];
  expect(inWaves(paths.map(input)).map((wave) => wave.map(({ path }) => path))).toEqual([
    ['/w/x', '/w/a', '/w/ab', '/w/y/z'],
    ['/w/a/b'],
    ['/w/a/b/c'],
  ]);
  expect(inWaves([])).toEqual([]);
});
