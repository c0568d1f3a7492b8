import { expect, test } from 'vitest';
import type { BuildSpec, StepSpec } from '../builds/build-spec.ts';
import { type BuildEvidence, stepsOf } from './evidence.ts';
import { type Hit, judgeBuild } from './judge.ts';
import { findDefects } from './web-log.ts';

const ID = '00000000-0000-4000-8000-00000000000';
const STEP: StepSpec = {
  name: 'only',
  kind: 'task',
  lines: 3,
  pauseMs: 50,
  exit: 0,
  outcome: 'green',
  attempts: 1,
  failsFirst: false,
  hungry: false,
};
const SPEC: BuildSpec = { name: 'chaos-0001', shape: 'task', expected: 'succeeded', steps: [STEP] };
const DELETED: Hit = { kind: 'pod-deleted', what: 'x', builds: [7], causes: [/was deleted/] };

function lines(numbers: readonly number[], process = 1): string {
  return numbers.map((number) => `only ${ID}${process} line ${number}\r\n`).join('');
}

function evidence(more: Partial<BuildEvidence> = {}): BuildEvidence {
  return {
    spec: SPEC,
    id: 7,
    status: 'succeeded',
    plans: [{ id: 'a', step: 'only', log: `pulling\r\n${lines([1, 2, 3])}`, exitStatus: 0 }],
    errors: [],
    processes: [{ build: SPEC.name, step: 'only', process: `${ID}1`, ended: true }],
    ...more,
  };
}

function seen(more: Partial<BuildEvidence>, hits: readonly Hit[] = []): string[] {
  return judgeBuild(evidence(more), hits).map(({ seen }) => seen);
}

const LOST = { status: 'errored', plans: [{ id: 'a', step: 'only', log: lines([1, 2]) }] };

test('[CHAOS2] a build that did as it should breaks no rule', () => {
  expect(judgeBuild(evidence(), [])).toEqual([]);
});

test('[CHAOS2] a wrong status, an unfinished build and an error without words are violations', () => {
  const red = { ...SPEC, expected: 'failed', steps: [{ ...STEP, exit: 3, outcome: 'red' }] } as const;
  expect(seen({ spec: red })).toContain('status succeeded');
  expect(seen({ status: 'failed' })).toContain('status failed');
  expect(seen({ status: 'started' })).toContain('status started');
  expect(seen(LOST)).toEqual(['errored without one']);
});

test('[CHAOS3] an error is explained by a fault that hit the build and can have this cause', () => {
  const lost = { ...LOST, errors: ['the pod x was deleted'] };
  expect(seen(lost, [DELETED])).toEqual([]);
  expect(seen(lost, [{ ...DELETED, builds: 'all' }])).toEqual([]);
  expect(seen(lost, [{ ...DELETED, builds: [8] }])).toEqual(['error: the pod x was deleted']);
  expect(seen(lost, [{ ...DELETED, builds: 'none' }])).toEqual(['error: the pod x was deleted']);
  expect(seen({ ...LOST, errors: ['out of memory'] }, [DELETED])).toEqual(['error: out of memory']);
});

test('[CHAOS4] lines that are missing, doubled, out of order or of another process are violations', () => {
  const plan = (log: string) => ({ plans: [{ id: 'a', step: 'only', log, exitStatus: 0 }] });
  expect(seen(plan(lines([1, 3])))).toEqual(['around line 2: 1 3', '2 lines, then its end']);
  expect(seen(plan(lines([1, 2, 2, 3])))).toEqual(['around line 3: 1 2 2 3', '4 lines, then its end']);
  expect(seen(plan(lines([1, 2])))).toEqual(['2 lines, then its end']);
  expect(seen(plan(lines([1]) + lines([2, 3], 2)))[0]).toBe(`${ID}1, ${ID}2`);
});

test('[CHAOS4] a finished step has the exit status of its script and a process that ran to its end', () => {
  const plans = [{ id: 'a', step: 'only', log: lines([1, 2, 3]), exitStatus: 137 }];
  expect(seen({ plans })).toContain('exit status 137');
  const processes = [{ build: SPEC.name, step: 'only', process: `${ID}1`, ended: false }];
  expect(seen({ processes })).toEqual([`the process ${ID}1 did not`]);
});

test('[CHAOS10] a process that was killed for memory does not run to its end, and the log says why', () => {
  const spec = { ...SPEC, expected: 'failed', steps: [{ ...STEP, exit: 137, outcome: 'red', hungry: true }] } as const;
  const processes = [{ build: SPEC.name, step: 'only', process: `${ID}1`, ended: false }];
  const killed = (log: string) => ({
    spec,
    status: 'failed',
    processes,
    plans: [{ id: 'a', step: 'only', log, exitStatus: 137 }],
  });
  expect(seen(killed(`${lines([1, 2, 3])}out of memory: it may use 48MB\r\n`))).toEqual([]);
  expect(seen(killed(lines([1, 2, 3])))).toEqual(['nothing of it']);
});

test('[CHAOS5] a second process of an attempt, and a process of a step that must not start, are violations', () => {
  const one = { build: SPEC.name, step: 'only', process: `${ID}1`, ended: true };
  const two = { ...one, process: `${ID}2` };
  expect(seen({ processes: [one, two] })).toEqual([`2: ${ID}1, ${ID}2`]);
  const attempts = ['a', 'b'].map((id) => ({ id, step: 'only', log: '' }));
  expect(seen({ ...LOST, errors: ['was deleted'], plans: attempts, processes: [one, two] }, [DELETED])).toEqual([]);
  const unreached = { ...SPEC, steps: [{ ...STEP, outcome: 'unreached' as const }] };
  const plans = [{ id: 'a', step: 'only', log: '' }];
  expect(seen({ spec: unreached, plans, processes: [one] })).toEqual([`1: ${ID}1`]);
  expect(seen({ spec: unreached, plans, processes: [] })).toEqual([]);
});

test('[CHAOS6] a green build whose step did not finish, or finished red, is a violation', () => {
  expect(seen({ plans: [{ id: 'a', step: 'only', log: lines([1, 2]) }] })).toEqual(['exit status missing']);
  const red = { ...SPEC, steps: [{ ...STEP, exit: 3 }] };
  const plans = [{ id: 'a', step: 'only', log: lines([1, 2, 3]), exitStatus: 3 }];
  expect(seen({ spec: red, plans })).toEqual(['exit status 3']);
});

test('[CHAOS6] each attempt of a step is a plan of its own, wherever it is in the plan', () => {
  const task = (id: string, name: string) => ({ id, task: { name, config: { platform: 'linux' } } });
  const plan = {
    id: '1',
    on_success: {
      step: { id: '2', retry: [task('3', 'flaky'), task('4', 'flaky')] },
      on_success: { id: '5', put: { name: 'push' } },
    },
  };
  expect([...stepsOf(plan)]).toEqual([
    ['3', 'flaky'],
    ['4', 'flaky'],
    ['5', 'push'],
  ]);
});

test('[CHAOS7] a defect in the log of web is reported once, a lost connection is not', () => {
  const defect = (time: number) => JSON.stringify({ level: 'error', time, msg: 'TypeError: x is undefined' });
  const lost = JSON.stringify({ level: 'error', time: 3, msg: 'The connection to the database was lost' });
  expect(findDefects('web 1', [defect(1), lost, defect(2)].join('\n'))).toHaveLength(1);
  expect(findDefects('web 1', lost)).toEqual([]);
});
