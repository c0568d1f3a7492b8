import { expect, test } from 'vitest';
import { programTimes } from './program-times.ts';

const LINES = [
  '         swapper     0/0         0.000000: PERF_RECORD_FORK(2:2):(0:0)',
  '        kthreadd     0/0         0.000000: PERF_RECORD_FORK(9:9):(2:2)',
  '         swapper     0/0         0.000000: PERF_RECORD_FORK(10:10):(1:1)',
  '      containerd     0/0         0.000000: PERF_RECORD_COMM: containerd:10/10',
  '      containerd    10/10        1.000000: PERF_RECORD_FORK(10:11):(10:10)',
  '      containerd    10/11        1.100000:',
  '      containerd    10/10        1.200000: PERF_RECORD_FORK(20:20):(10:10)',
  '      containerd    20/20        1.200000:',
  '            crun    20/20        1.300000: PERF_RECORD_COMM exec: crun:20/20',
  '            crun    20/20        1.400000: PERF_RECORD_FORK(21:21):(20:20)',
  '            crun    20/20        1.500000: PERF_RECORD_EXIT(20:20):(10:10)',
  '   sh with space    21/21        1.600000: PERF_RECORD_COMM exec: sh with space:21/21',
  '   sh with space    21/21        1.700000:',
  '   sh with space    21/21        9.000000:',
  '     kworker/0:1     9/9         1.700000:',
  '         swapper     0/0         1.700000:',
  '          editor    30/30        1.700000:',
];

test('samples count for the program that ran, also in children of processes that have ended, and not for other work', () => {
  const spans = [
    { name: 'first', from: 1, to: 1.15 },
    { name: 'second', from: 1.15, to: 2 },
  ];
  const times = programTimes(LINES, spans, new Set([10]), 4);
  expect(times.get('first')).toEqual(new Map([['containerd', 0.25]]));
  expect(times.get('second')).toEqual(
    new Map([
      ['containerd', 0.25],
      ['sh with space', 0.25],
      ['kernel threads', 0.25],
    ]),
  );
});
