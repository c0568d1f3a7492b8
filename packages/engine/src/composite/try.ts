import { isCancellation } from '../walk/interruption.ts';
import { type Step, settle } from '../walk/step.ts';

/** Succeeds whatever `step` does, unless the step is cancelled. */
export function tryStep(step: Step): Step {
  return async (ctx, state) => {
    const result = await settle(step(ctx, state));
    if ('error' in result && isCancellation(result.error)) throw result.error;
    return 'succeeded';
  };
}
