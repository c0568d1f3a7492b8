import { Interruption } from '../walk/interruption.ts';
import { mergeErrors, type Settled, type Step, settle, withFreshSignal } from '../walk/step.ts';

/**
 * Runs `hook` whatever `step` did; what interrupted the step does not interrupt the hook. Both must succeed.
 *
 * `abortedBefore` is asked when the signal has aborted and the step did not notice: was that before the hook began, in
 * whichever walk? If so, it must not interrupt the hook; else it does.
 */
export function ensure(step: Step, hook: Step, abortedBefore: () => Promise<boolean> = async () => true): Step {
  return async (ctx, state) => {
    const first = await settle(step(ctx, state));
    const undisturbed = wasInterrupted(first) || (ctx.signal.aborted && (await abortedBefore()));
    const second = await settle(hook(undisturbed ? withFreshSignal(ctx) : ctx, state));
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
