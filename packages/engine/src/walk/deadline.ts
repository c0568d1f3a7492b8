import type { Clock } from '../seams.ts';
import type { Interruption } from './interruption.ts';

/** Timers of a system can be set only so far ahead: in Node 24 days. */
const LONGEST_SLEEP_MS = 24 * 3_600_000;

/** A moment, once it is known, at which a signal aborts. Dispose of it when nobody waits for it any more. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** The first moment that is set counts. Infinity is no moment. */
  set(moment: number): void;
}

export function newDeadline(clock: Clock, reason: Interruption): Deadline {
  const passed = new AbortController();
  const over = new AbortController();
  const left = (moment: number) => moment - clock.now().getTime();
  const sleepUntil = async (moment: number) => {
    while (left(moment) > 0) await clock.sleep(Math.min(left(moment), LONGEST_SLEEP_MS), over.signal);
  };
  let known = false;
  return {
    signal: passed.signal,
    set(moment) {
      if (known || moment === Number.POSITIVE_INFINITY) return;
      known = true;
      const pass = () => passed.abort(reason);
      if (left(moment) <= 0) pass();
      else sleepUntil(moment).then(pass, () => {}); // it was over in time
    },
    [Symbol.dispose]: () => over.abort(new Error('the step is over')),
  };
}
