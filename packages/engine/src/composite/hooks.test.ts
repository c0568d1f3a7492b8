import { describe, expect, test } from 'vitest';
import { journalMark } from '../journal/mark.ts';
import { emptyJournal, memoryJournal } from '../testing/memory-journal.ts';
import { runStep, scriptedStep, testContext } from '../testing/scripted-step.ts';
import { Drained, Interruption } from '../walk/interruption.ts';
import type { Step } from '../walk/step.ts';
import { ensure as ensureMember } from './ensure.ts';
import { onAbort } from './on-abort.ts';
import { onError } from './on-error.ts';
import { onFailure } from './on-failure.ts';
import { onSuccess } from './on-success.ts';

/** In a build that no earlier walk began. */
function ensure(step: Step, hook: Step): Step {
  const mark = journalMark(memoryJournal(emptyJournal()), 'p', 'aborted-before-hook');
  return ensureMember(step, { step: hook, hasBegun: async () => false }, mark);
}

const error = new Error('disaster');
const aborted = new Interruption('abort');
const cancelled = new Interruption('fail-fast', '1');
const late = new Interruption('timeout', '1');

/** What the whole did, and whether the hook ran. */
async function outcomeOf(
  wrap: (step: Step, hook: Step) => Step,
  does: 'succeeded' | 'failed' | Error,
  hookDoes: 'succeeded' | 'failed' | Error = 'succeeded',
) {
  const hook = scriptedStep(hookDoes);
  const whole = await runStep(wrap(scriptedStep(does).step, hook.step)).catch((thrown: unknown) => thrown);
  return { whole, hooked: hook.runs.length };
}

describe('on_success', () => {
  test('[ENG-HOOK1] runs after a success only; its outcome is the outcome', async () => {
    expect(await outcomeOf(onSuccess, 'succeeded')).toEqual({ whole: 'succeeded', hooked: 1 });
    expect(await outcomeOf(onSuccess, 'succeeded', 'failed')).toEqual({ whole: 'failed', hooked: 1 });
    expect(await outcomeOf(onSuccess, 'succeeded', error)).toEqual({ whole: error, hooked: 1 });
    expect(await outcomeOf(onSuccess, 'failed')).toEqual({ whole: 'failed', hooked: 0 });
    expect(await outcomeOf(onSuccess, error)).toEqual({ whole: error, hooked: 0 });
    expect(await outcomeOf(onSuccess, aborted)).toEqual({ whole: aborted, hooked: 0 });
  });
});

describe('on_failure', () => {
  test('[ENG-HOOK2] runs only after a failure; the step stays failed, but an error of the hook is an error', async () => {
    expect(await outcomeOf(onFailure, 'failed', 'succeeded')).toEqual({ whole: 'failed', hooked: 1 });
    expect(await outcomeOf(onFailure, 'failed', 'failed')).toEqual({ whole: 'failed', hooked: 1 });
    expect(await outcomeOf(onFailure, 'failed', error)).toEqual({ whole: error, hooked: 1 });
    expect(await outcomeOf(onFailure, 'succeeded')).toEqual({ whole: 'succeeded', hooked: 0 });
    expect(await outcomeOf(onFailure, error)).toEqual({ whole: error, hooked: 0 });
    expect(await outcomeOf(onFailure, aborted)).toEqual({ whole: aborted, hooked: 0 });
  });
});

describe('on_abort', () => {
  test('[ENG-HOOK3] runs only after a cancellation; the step stays cancelled, whatever the hook does', async () => {
    expect(await outcomeOf(onAbort, aborted, 'failed')).toEqual({ whole: aborted, hooked: 1 });
    expect(await outcomeOf(onAbort, cancelled)).toEqual({ whole: cancelled, hooked: 1 });
    expect(await outcomeOf(onAbort, aborted, error)).toEqual({ whole: aborted, hooked: 1 });
    expect(await outcomeOf(onAbort, late)).toEqual({ whole: late, hooked: 0 });
    expect(await outcomeOf(onAbort, error)).toEqual({ whole: error, hooked: 0 });
    expect(await outcomeOf(onAbort, 'failed')).toEqual({ whole: 'failed', hooked: 0 });
    expect(await outcomeOf(onAbort, 'succeeded')).toEqual({ whole: 'succeeded', hooked: 0 });
  });
});

describe('on_error', () => {
  test('[ENG-HOOK4] runs after an error, not after a cancellation; the step stays errored', async () => {
    expect(await outcomeOf(onError, error, 'failed')).toEqual({ whole: error, hooked: 1 });
    expect(await outcomeOf(onError, aborted)).toEqual({ whole: aborted, hooked: 0 });
    expect(await outcomeOf(onError, cancelled)).toEqual({ whole: cancelled, hooked: 0 });
    expect(await outcomeOf(onError, 'failed')).toEqual({ whole: 'failed', hooked: 0 });
    expect(await outcomeOf(onError, 'succeeded')).toEqual({ whole: 'succeeded', hooked: 0 });
  });

  test('[ENG-HOOK4] reports both errors when the hook errors, too', async () => {
    const second = new Error('another');
    const { whole } = await outcomeOf(onError, error, second);
    expect(whole).toBeInstanceOf(AggregateError);
    expect((whole as AggregateError).errors).toEqual([error, second]);
    expect((whole as AggregateError).message).toBe('2 errors occurred:\n\t* disaster\n\t* another\n\n');
  });
});

describe('ensure', () => {
  test('[ENG-HOOK5] always runs its hook, and succeeds only if both do', async () => {
    expect(await outcomeOf(ensure, 'succeeded', 'succeeded')).toEqual({ whole: 'succeeded', hooked: 1 });
    expect(await outcomeOf(ensure, 'succeeded', 'failed')).toEqual({ whole: 'failed', hooked: 1 });
    expect(await outcomeOf(ensure, 'failed', 'succeeded')).toEqual({ whole: 'failed', hooked: 1 });
    expect(await outcomeOf(ensure, error, 'succeeded')).toEqual({ whole: error, hooked: 1 });
    expect(await outcomeOf(ensure, 'succeeded', error)).toEqual({ whole: error, hooked: 1 });
  });

  test('[ENG-HOOK5] merges errors, and keeps an interruption', async () => {
    const second = new Error('another');
    const { whole } = await outcomeOf(ensure, error, second);
    expect((whole as AggregateError).errors).toEqual([error, second]);
    expect(await outcomeOf(ensure, aborted, second)).toEqual({ whole: aborted, hooked: 1 });
    expect(await outcomeOf(ensure, late, 'failed')).toEqual({ whole: late, hooked: 1 });
  });
});

describe('hooks and signals', () => {
  test.each([
    ['on_abort', onAbort],
    ['ensure', ensure],
  ])('[ENG-HOOK6] %s after an abort runs undisturbed by it', async (_name, wrap) => {
    const { ctx, abort } = testContext();
    const hook = scriptedStep('succeeded');
    const whole = runStep(wrap(scriptedStep('until-interrupted').step, hook.step), ctx);
    abort.abort(aborted);
    await expect(whole).rejects.toBe(aborted);
    expect(hook.runs.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  test('[ENG-HOOK6] on_error has a signal of its own, too', async () => {
    const { ctx, abort } = testContext();
    const hook = scriptedStep('succeeded');
    const errs = scriptedStep(async () => {
      abort.abort(aborted);
      throw error;
    });
    await expect(runStep(onError(errs.step, hook.step), ctx)).rejects.toBe(error);
    expect(hook.runs.map(({ signal }) => signal.aborted)).toEqual([false]);
  });

  test('[ENG-HOOK6] other hooks are ended by an abort', async () => {
    const { ctx, abort } = testContext();
    const hook = scriptedStep('until-interrupted');
    const whole = runStep(
      ensure(onFailure(scriptedStep('failed').step, hook.step), scriptedStep('succeeded').step),
      ctx,
    );
    abort.abort(aborted);
    await expect(whole).rejects.toBe(aborted);
    expect(hook.runs).toHaveLength(1);
  });

  test.each([
    ['on_success', onSuccess, 'succeeded', 'succeeded'],
    ['on_failure', onFailure, 'failed', 'failed'],
    ['on_abort', onAbort, aborted, 'aborted'],
    ['on_error', onError, error, 'errored'],
    ['ensure', ensure, 'failed', undefined],
  ] as const)('[ENG-HOOK7] %s lets its hook know how the step ended', async (_name, wrap, does, status) => {
    const hook = scriptedStep('succeeded');
    await runStep(wrap(scriptedStep(does).step, hook.step)).catch(() => {});
    expect(hook.runs.map(({ hookOf }) => hookOf)).toEqual([status]);
  });

  test.each([
    ['on_success', onSuccess],
    ['on_failure', onFailure],
    ['on_abort', onAbort],
    ['on_error', onError],
    ['ensure', ensure],
  ])('[ENG-HOOK8] %s runs nothing after a drain', async (_name, wrap) => {
    const drained = new Drained();
    const hook = scriptedStep('succeeded');
    await expect(runStep(wrap(scriptedStep(drained).step, hook.step))).rejects.toBe(drained);
    expect(hook.runs).toHaveLength(0);
  });

  test.each([
    ['on_abort', onAbort, aborted],
    ['on_error', onError, error],
    ['ensure', ensure, aborted],
  ] as const)('[ENG-HOOK8] a drain of the hook of %s is a drain', async (_name, wrap, does) => {
    const drained = new Drained();
    const { ctx, drain } = testContext();
    const whole = runStep(wrap(scriptedStep(does).step, scriptedStep('until-interrupted').step), ctx);
    drain.abort(drained);
    await expect(whole).rejects.toBe(drained);
  });
});
