import type { BuildAnswer } from '@seaplane/api/answers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LogCooker } from '../log/log-cooker.ts';
import type { LeafStep } from '../steps.ts';
import { expectedOf, progressOf } from './expected.ts';
import { ticksOf, timelineOf } from './timeline.ts';

function leaf(times: Partial<LeafStep>): LeafStep {
  return {
    kind: 'leaf',
    id: '1',
    type: 'task',
    name: 't',
    log: new LogCooker(),
    state: 'succeeded',
    errors: [],
    image: [],
    ...times,
  };
}

test('[UI-TIMELINE1] a step is split into waiting, image, inputs and run', () => {
  const image = [leaf({ initializedAt: 101, finishedAt: 103 }), leaf({ initializedAt: 103, finishedAt: 106 })];
  const step = leaf({ image, initializedAt: 100, workerAt: 110, startedAt: 112, finishedAt: 150 });
  expect(timelineOf([step], 999)).toMatchObject({
    from: 100,
    to: 150,
    rows: [
      {
        segments: [
          { phase: 'wait', from: 100, to: 101 },
          { phase: 'image', from: 101, to: 106 },
          { phase: 'wait', from: 106, to: 110 },
          { phase: 'inputs', from: 110, to: 112 },
          { phase: 'run', from: 112, to: 150 },
        ],
      },
    ],
  });
});

test('[UI-TIMELINE1] a running step goes to now, and a step that never started its program has no run', () => {
  const running = leaf({ state: 'running', initializedAt: 10, workerAt: 10, startedAt: 12 });
  expect(timelineOf([running], 20)?.rows[0]?.segments).toEqual([
    { phase: 'inputs', from: 10, to: 12 },
    { phase: 'run', from: 12, to: 20 },
  ]);
  const errored = leaf({ state: 'errored', initializedAt: 10, finishedAt: 15 });
  expect(timelineOf([errored], 20)?.rows[0]?.segments).toEqual([{ phase: 'inputs', from: 10, to: 15 }]);
  expect(timelineOf([leaf({ state: 'pending' })], 20)).toBeUndefined();
});

test('[UI-TIMELINE1] a step that no worker is free for waits until it has one, or to its end', () => {
  const waiting = leaf({ state: 'running', initializedAt: 10, hasWaited: true });
  expect(timelineOf([waiting], 20)?.rows[0]?.segments).toEqual([{ phase: 'wait', from: 10, to: 20 }]);
  const placed = { ...waiting, workerAt: 15 };
  expect(timelineOf([placed], 20)?.rows[0]?.segments).toEqual([
    { phase: 'wait', from: 10, to: 15 },
    { phase: 'inputs', from: 15, to: 20 },
  ]);
});

test('[UI-TIMELINE1] the phases of a step follow each other without a gap, whatever its times', () => {
  const time = fc.option(fc.integer({ min: 100, max: 200 }), { nil: undefined });
  fc.assert(
    fc.property(time, time, time, time, time, time, (a, b, c, d, e, f) => {
      const [initializedAt = 100, workerAt, startedAt, finishedAt] = [a, b, c, d];
      const times = { workerAt, startedAt, finishedAt, initializedAt };
      const given = Object.fromEntries(Object.entries(times).filter(([, value]) => value !== undefined));
      const image = [leaf({ ...(e !== undefined && { initializedAt: e }), ...(f !== undefined && { finishedAt: f }) })];
      const line = timelineOf([leaf({ ...given, image, state: 'running' })], 210);
      const segments = line?.rows[0]?.segments ?? [];
      let at = initializedAt;
      for (const segment of segments) {
        expect(segment.from).toBe(at);
        expect(segment.to).toBeGreaterThanOrEqual(segment.from);
        at = segment.to;
      }
      expect(at).toBe(Math.max(initializedAt, finishedAt ?? 210));
    }),
  );
});

test('[UI-TIMELINE2] the axis has a few round marks', () => {
  expect(ticksOf(5)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(ticksOf(58)).toEqual([0, 10, 20, 30, 40, 50]);
  expect(ticksOf(3_600)).toEqual([0, 600, 1_200, 1_800, 2_400, 3_000, 3_600]);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 10_000_000 }), (seconds) => {
      expect(ticksOf(seconds).length).toBeLessThanOrEqual(9);
    }),
  );
});

function build(status: BuildAnswer['status'], took?: number): BuildAnswer {
  const base = { id: 1, team_name: 't', name: '1', status, api_url: '', start_time: 100 };
  return took === undefined ? base : { ...base, end_time: 100 + took };
}

test('[UI-ETA1] good builds of the past say how long a build takes', () => {
  expect(expectedOf([build('started'), build('failed', 5)])).toBeUndefined();
  const history = [
    build('started'),
    build('succeeded', 30),
    build('failed', 1),
    build('succeeded', 10),
    build('succeeded', 20),
  ];
  expect(expectedOf(history)).toEqual({ usual: 20, slow: 30 });
  const many = [...Array.from({ length: 20 }, () => build('succeeded', 10)), build('succeeded', 9_999)];
  expect(expectedOf(many)).toEqual({ usual: 10, slow: 10 });
});

test('[UI-ETA1] a build is on time, ends soon, or is slower than usual', () => {
  const expected = { usual: 20, slow: 30 };
  expect(progressOf(expected, 5)).toEqual({ kind: 'on-time', share: 0.25, left: 15 });
  expect(progressOf(expected, 25)).toEqual({ kind: 'soon', share: 0.99 });
  expect(progressOf(expected, 50)).toEqual({ kind: 'late' });
  expect(progressOf({ usual: 0, slow: 0 }, 1)).toEqual({ kind: 'late' });
});
