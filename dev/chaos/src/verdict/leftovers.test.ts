import { expect, test } from 'vitest';
import { judgeRemains, type Remains } from './leftovers.ts';

/** A pod that checks share, with its row, and a cached artifact: all of it may stay. */
const TIDY: Remains = {
  pods: [{ name: 'check', step: 'check r', phase: 'Running', goes: false }],
  sandboxes: [{ handle: 'check', shared: true }],
  unfinishedBuilds: [],
  locks: [],
  artifacts: [
    { id: 'cached', stored: true, orphan: false },
    { id: 'arriving', stored: false, orphan: false },
  ],
  inStore: ['cached', 'arriving'],
};

function seen(more: Partial<Remains>): string[] {
  return judgeRemains({ ...TIDY, ...more }).map(({ seen }) => seen);
}

test('[CHAOS11] what checks share, and artifacts that the database knows, may stay', () => {
  expect(judgeRemains(TIDY)).toEqual([]);
});

test('[CHAOS11] an artifact in the store that the database does not know is left behind', () => {
  expect(seen({ inStore: ['cached', 'unknown'] })).toEqual(['artifact unknown']);
});

test('[CHAOS11] a row of a stored artifact that the store does not have, or whose build is gone, is left behind', () => {
  expect(seen({ inStore: [] })).toEqual(['artifact cached']);
  expect(seen({ artifacts: [{ id: 'cached', stored: true, orphan: true }], inStore: ['cached'] })).toEqual([
    'artifact cached',
  ]);
});

test('[CHAOS11] a pod without a shared row and a row without its pod are left behind', () => {
  expect(seen({ sandboxes: [] })).toEqual(['check, Running']);
  expect(seen({ pods: [] })).toEqual(['sandbox check']);
  expect(seen({ sandboxes: [{ handle: 'check', shared: false }] })).toEqual(['check, Running', 'sandbox check']);
});

test('[CHAOS11] an unfinished build and a lock of a build are left behind', () => {
  expect(seen({ unfinishedBuilds: [{ id: '7', status: 'started' }] })).toEqual(['build 7 is started']);
  expect(seen({ locks: [{ kind: 1, key: '1/7' }] })).toEqual(['advisory lock 1/7 of kind 1']);
});
