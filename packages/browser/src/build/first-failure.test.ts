import { expect, test } from 'vitest';
import { failedSteps, nextFailed } from './first-failure.ts';
import { LogCooker } from './log/log-cooker.ts';
import type { LeafStep, StepState } from './steps.ts';

function leaf(id: string, state: StepState): LeafStep {
  return { kind: 'leaf', id, type: 'task', name: id, log: new LogCooker(), state, errors: [], image: [] };
}

test('[UI-FAIL1] the first step that went wrong comes first, and the first again after the last', () => {
  const leaves = [leaf('1', 'succeeded'), leaf('2', 'failed'), leaf('3', 'interrupted'), leaf('4', 'errored')];
  expect(failedSteps(leaves).map(({ id }) => id)).toEqual(['2', '4']);
  expect(nextFailed(leaves, undefined)?.id).toBe('2');
  expect(nextFailed(leaves, '2')?.id).toBe('4');
  expect(nextFailed(leaves, '4')?.id).toBe('2');
  expect(nextFailed([leaf('1', 'succeeded')], undefined)).toBeUndefined();
});
