import type { Step } from '../walk/step.ts';

/**
 * Runs `hook` when `step` failed. The step stays failed, whatever the hook's outcome; an error of the hook is thrown.
 */
export function onFailure(step: Step, hook: Step): Step {
  return async (ctx, state) => {
    const outcome = await step(ctx, state);
    if (outcome === 'failed') await hook({ ...ctx, hookOf: 'failed' }, state);
    return outcome;
  };
}
