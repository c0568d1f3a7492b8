import { describe, expect, test } from 'vitest';
import { runStep, scriptedStep, testContext } from '../testing/scripted-step.ts';
import { Drained, Interruption } from '../walk/interruption.ts';
import { doStep } from './do.ts';
import { retry } from './retry.ts';
import { tryStep } from './try.ts';

const error = new Error('disaster');
const aborted = new Interruption('abort');
const late = new Interruption('timeout', '1');
const drained = new Drained();
const notBegun = async () => false;

describe('do', () => {
  test('[ENG-DO1] stops at the first step that does not succeed', async () => {
    for (const [does, whole] of [
      ['failed', 'failed'],
      [error, error],
      [aborted, aborted],
      [drained, drained],
    ] as const) {
      const last = scriptedStep('succeeded');
      const steps = doStep([scriptedStep('succeeded').step, scriptedStep(does).step, last.step]);
      expect(await runStep(steps).catch((thrown: unknown) => thrown)).toBe(whole);
      expect(last.runs).toHaveLength(0);
    }
  });

  test('[ENG-DO1] succeeds when all do, and when there are none', async () => {
    expect(await runStep(doStep([scriptedStep('succeeded').step, scriptedStep('succeeded').step]))).toBe('succeeded');
    expect(await runStep(doStep([]))).toBe('succeeded');
  });
});

describe('try', () => {
  test('[ENG-TRY1] succeeds whatever happens, but for a cancellation or a drain', async () => {
    for (const does of ['succeeded', 'failed', error, late, new AggregateError([error])] as const) {
      expect(await runStep(tryStep(scriptedStep(does).step))).toBe('succeeded');
    }
    for (const does of [aborted, new Interruption('fail-fast', '1'), drained]) {
      await expect(runStep(tryStep(scriptedStep(does).step))).rejects.toBe(does);
    }
  });
});

describe('attempts', () => {
  function attempts(...does: Parameters<typeof scriptedStep>[0][]) {
    const steps = does.map(scriptedStep);
    return { steps, step: retry(steps.map(({ step }) => ({ step, hasBegun: notBegun }))) };
  }

  test('[ENG-RETRY1] runs until one succeeds; errors and failures are failed attempts', async () => {
    const { steps, step } = attempts('failed', error, 'succeeded', 'failed');
    expect(await runStep(step)).toBe('succeeded');
    expect(steps.map(({ runs }) => runs.length)).toEqual([1, 1, 1, 0]);
  });

  test('[ENG-RETRY1] ends as the last attempt did when none succeeds', async () => {
    expect(await runStep(attempts(error, 'failed').step)).toBe('failed');
    await expect(runStep(attempts('failed', error).step)).rejects.toBe(error);
  });

  test('[ENG-RETRY2] makes no further attempt after a cancellation or a drain', async () => {
    for (const does of [aborted, drained]) {
      const { steps, step } = attempts(does, 'succeeded');
      await expect(runStep(step)).rejects.toBe(does);
      expect(steps.map(({ runs }) => runs.length)).toEqual([1, 0]);
    }
  });

  test('[ENG-RETRY2] makes no further attempt when the abort comes as one fails', async () => {
    const { ctx, abort } = testContext();
    const { steps, step } = attempts(async () => {
      abort.abort(aborted);
      return 'failed';
    }, 'succeeded');
    await expect(runStep(step, ctx)).rejects.toBe(aborted);
    expect(steps.map(({ runs }) => runs.length)).toEqual([1, 0]);
  });

  test('[ENG-RETRY3] an attempt that an earlier walk began goes on, even if the build is aborted', async () => {
    const { ctx, abort } = testContext();
    abort.abort(aborted);
    const [first, second] = [scriptedStep('failed'), scriptedStep('until-interrupted')];
    const step = retry([
      { step: first.step, hasBegun: notBegun },
      { step: second.step, hasBegun: async () => true },
    ]);
    await expect(runStep(step, ctx)).rejects.toBe(aborted);
    expect([first.runs.length, second.runs.length]).toEqual([1, 1]);
  });
});
