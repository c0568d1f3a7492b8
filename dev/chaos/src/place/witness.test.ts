import { expect, test } from 'vitest';
import { Witness } from './witness.ts';

test('[CHAOS9] a process that reports twice counts once, and stays ended', async () => {
  await using witness = await Witness.listen();
  const report = async (what: string, process: string) =>
    (await fetch(`http://127.0.0.1:${witness.port}/${what}?build=b&step=s&process=${process}`)).text();
  expect(await report('start', '1')).toBe('1');
  expect(await report('start', '1')).toBe('1');
  expect(await report('end', '1')).toBe('1');
  expect(await report('start', '1')).toBe('1');
  expect(await report('start', '2')).toBe('2');
  expect(witness.processes('b').map(({ process, ended }) => [process, ended])).toEqual([
    ['1', true],
    ['2', false],
  ]);
  expect(witness.processes('c')).toEqual([]);
});
