import { parseDuration } from '@seaplane/config';
import type { Clock, Journal } from '../seams.ts';
import { newDeadline } from '../walk/deadline.ts';
import { Interruption } from '../walk/interruption.ts';
import { type Step, settle, unsettle } from '../walk/step.ts';

/**
 * Interrupts `step` when it takes longer than `duration`, counted from its first start, also over restarts. The step
 * has then failed, unless it still ends with an outcome of its own.
 */
export function timeout(
  { clock, journal }: { readonly clock: Pick<Clock, 'sleep'>; readonly journal: Journal },
  id: string,
  step: Step,
  duration: string,
): Step {
  return async (ctx, state) => {
    const limit = parseDuration(duration);
    // A walk after the end must neither interrupt a step that was in time nor begin one that was too late.
    const ended = await journal.read({ planId: id, what: 'timed-out' });
    if (ended?.['timedOut'] === false) return step(ctx, state);

    const now = await journal.now();
    const started = await journal.record({ planId: id, what: 'started' }, { at: now });
    const late = new Interruption('timeout', id);
    using deadline = newDeadline(clock, late);
    deadline.passIn(ended ? 0 : Number(started['at']) + limit - now);
    // If both a deadline and an abort came, the one that came first in an earlier walk is still the reason.
    const signal = AbortSignal.any(ended ? [deadline.signal, ctx.signal] : [ctx.signal, deadline.signal]);
    const result = await settle(step({ ...ctx, signal }, state));
    await journal.record({ planId: id, what: 'timed-out' }, { timedOut: signal.reason === late });
    return 'error' in result && isTimeoutOf(id, result.error) ? 'failed' : unsettle(result);
  };
}

function isTimeoutOf(id: string, error: Error): boolean {
  return error instanceof Interruption && error.kind === 'timeout' && error.by === id;
}
