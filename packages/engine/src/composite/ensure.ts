import type { Mark } from '../journal/mark.ts';
import { Interruption } from '../walk/interruption.ts';
import { mergeErrors, type Settled, type Step, settle, withFreshSignal } from '../walk/step.ts';
import type { Member } from './member.ts';

/**
 * Runs `hook` whatever `step` does. An interruption that came before the hook began does not interrupt the hook, in
 * this walk or a later one: `abortedBefore` remembers it. Both must succeed.
 */
export function ensure(step: Step, hook: Member, abortedBefore: Mark): Step {
  return async (ctx, state) => {
    const first = await settle(step(ctx, state));
    const undisturbed = wasInterrupted(first) || (ctx.signal.aborted && (await cameBefore(hook, abortedBefore)));
    const second = await settle(hook.step(undisturbed ? withFreshSignal(ctx) : ctx, state));
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

/** Whether an abort that the step did not notice came before the hook began. It did if the hook has not begun yet. */
async function cameBefore(hook: Member, abortedBefore: Mark): Promise<boolean> {
  if (await hook.hasBegun()) return abortedBefore.isSet();
  await abortedBefore.set();
  return true;
}
