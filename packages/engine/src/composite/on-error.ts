import { isCancellation } from '../walk/interruption.ts';
import { mergeErrors, type Step, settle, unsettle, withFreshSignal } from '../walk/step.ts';

/** Runs `hook`, uninterrupted, when `step` errored, not when it was cancelled. The step stays errored. */
export function onError(step: Step, hook: Step): Step {
  return async (ctx, state) => {
    const result = await settle(step(ctx, state));
    if (!('error' in result) || isCancellation(result.error)) return unsettle(result);
    const hooked = await settle(hook({ ...withFreshSignal(ctx), hookOf: 'errored' }, state));
    throw 'error' in hooked ? mergeErrors([result.error, hooked.error]) : result.error;
  };
}
