import { isCancellation } from '../walk/interruption.ts';
import { type Step, settle, unsettle, withFreshSignal } from '../walk/step.ts';

/** Runs `hook`, uninterrupted, when `step` was cancelled, not when it took too long. The step stays cancelled. */
export function onAbort(step: Step, hook: Step): Step {
  return async (ctx, state) => {
    const result = await settle(step(ctx, state));
    if ('error' in result && isCancellation(result.error)) {
      await settle(hook({ ...withFreshSignal(ctx), hookOf: 'aborted' }, state));
    }
    return unsettle(result);
  };
}
