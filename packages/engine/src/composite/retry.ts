import { isCancellation } from '../walk/interruption.ts';
import { type Settled, type Step, settle, unsettle } from '../walk/step.ts';

export interface Attempt {
  readonly step: Step;
  /** Whether it was begun in an earlier walk. */
  readonly begun: () => Promise<boolean>;
}

/** Runs attempts until one succeeds. An error is a failed attempt; the last attempt's result is the result. */
export function retry(attempts: readonly Attempt[]): Step {
  return async (ctx, state) => {
    let result: Settled = { outcome: 'succeeded' };
    for (const [index, { step, begun }] of attempts.entries()) {
      if (index > 0 && ctx.signal.aborted && !(await begun())) throw ctx.signal.reason;
      result = await settle(step(ctx, state));
      if ('error' in result ? isCancellation(result.error) : result.outcome === 'succeeded') break;
    }
    return unsettle(result);
  };
}
