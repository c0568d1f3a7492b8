import type { Step } from '../walk/step.ts';

/** Runs `hook` when `step` succeeded. The hook's outcome is then the outcome. */
export function onSuccess(step: Step, hook: Step): Step {
  return async (ctx, state) => {
    const outcome = await step(ctx, state);
    return outcome === 'succeeded' ? hook({ ...ctx, hookOf: 'succeeded' }, state) : outcome;
  };
}
