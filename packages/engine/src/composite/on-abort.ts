import { isCancellation } from '../walk/interruption.ts';
import { type Step, settle, unsettle, withFreshSignal } from '../walk/step.ts';

/** Runs `hook`, undisturbed, when `step` was cancelled; not when it took too long. Cancelled it stays. */
export function onAbort(step: Step, hook: Step): Step {
  return async (ctx, state) => {
    const result = await settle(step(ctx, state));
    if ('error' in result && isCancellation(result.error)) {
      await settle(hook({ ...withFreshSignal(ctx), hookOf: 'aborted' }, state));
    }
    return unsettle(result);
  };
}
