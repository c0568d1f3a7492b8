import { Interruption } from '@seaplane/engine';
import { manualClock } from '@seaplane/engine/testing';
import { afterEach, expect, test } from 'vitest';
import { type TestBed, testBed } from '../testing/index.ts';
import { resource, SCRIPTS, task } from '../testing/mock-type.ts';
import type { StepWorker } from './workers.ts';

let bed: TestBed;
afterEach(() => bed[Symbol.asyncDispose]());

const WAITS = { kind: 'waiting-for-worker', reason: 'waiting for the worker worker-1, which is stalled' };

function stalledBed() {
  const clock = manualClock();
  const states: Record<string, StepWorker['state']> = { 'worker-1': 'stalled' };
  bed = testBed(SCRIPTS, { clock, states });
  return { clock, states };
}

test('[ORC-TASK7] a step waits for a worker that is stalled, and says so once', async () => {
  const { clock, states } = stalledBed();
  const ios = [bed.io('1'), bed.io('2')] as const;
  const running = Promise.all([
    bed.orchestrator().task(ios[0], { ...task, path: 'false' }),
    bed.orchestrator().check(ios[1], resource),
  ]);
  await clock.advance(1_000);
  await clock.advance(1_000);
  for (const { notices } of ios) expect(notices).toEqual([WAITS]);
  states['worker-1'] = 'running';
  await clock.advance(1_000);
  expect(await running).toMatchObject([{ exitStatus: 1 }, { exitStatus: 0 }]);
});

test('[ORC-TASK7] it does not wait for ever, and not for a worker that could not take it', async () => {
  const { clock } = stalledBed();
  const tagged = bed.orchestrator().task(bed.io('1'), { ...task, path: 'false', tags: ['gpu'] });
  await expect(tagged).rejects.toThrow("no workers satisfying: resource type 'mock', platform 'linux', tag 'gpu'");
  const asked = bed.orchestrator().task(bed.io('2'), { ...task, path: 'false' });
  const refused = expect(asked).rejects.toThrow("no workers satisfying: resource type 'mock', platform 'linux'");
  await clock.advance(1_000);
  await clock.advance(300_000);
  await refused;
});

test('[ORC-TASK7] it can be aborted meanwhile', async () => {
  stalledBed();
  const stop = new AbortController();
  const asked = bed.orchestrator().task(bed.io('1', { signal: stop.signal }), { ...task, path: 'false' });
  const refused = expect(asked).rejects.toBeInstanceOf(Interruption);
  stop.abort(new Interruption('abort'));
  await refused;
});
