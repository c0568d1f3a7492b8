import { Interruption } from '../interruption.ts';
import { mergeErrors, type Settled, type Step, settle, withFreshSignal } from '../step.ts';

/** Runs `hook` whatever `step` did; what interrupted the step does not interrupt the hook. Both must succeed. */
export function ensure(step: Step, hook: Step): Step {
  return async (ctx, state) => {
    const first = await settle(step(ctx, state));
    const second = await settle(hook(ctx.signal.aborted || wasInterrupted(first) ? withFreshSignal(ctx) : ctx, state));
    const errors = [first, second].flatMap((result) => ('error' in result ? [result.error] : []));
    if (errors.length > 0) throw mergeErrors(errors);
    return [first, second].every((result) => 'outcome' in result && result.outcome === 'succeeded')
      ? 'succeeded'
      : 'failed';
  };
}

function wasInterrupted(result: Settled): boolean {
  return 'error' in result && result.error instanceof Interruption;
}
