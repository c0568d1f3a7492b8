import { isCancellation } from '../walk/interruption.ts';
import { type Settled, type Step, settle, unsettle } from '../walk/step.ts';
import type { Member } from './member.ts';

/** Runs attempts until one succeeds. An error is a failed attempt. The result of the last attempt is the result. */
export function retry(attempts: readonly Member[]): Step {
  return async (ctx, state) => {
    let result: Settled = { outcome: 'succeeded' };
    for (const [index, { step, hasBegun }] of attempts.entries()) {
      if (index > 0 && ctx.signal.aborted && !(await hasBegun())) throw ctx.signal.reason;
      result = await settle(step(ctx, state));
      if ('error' in result ? isCancellation(result.error) : result.outcome === 'succeeded') break;
    }
    return unsettle(result);
  };
}
