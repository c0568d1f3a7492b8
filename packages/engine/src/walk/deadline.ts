import type { Clock } from '../seams.ts';
import type { Interruption } from './interruption.ts';

/** Node's timers reach 24 days ahead. A longer sleep is made of several. */
const LONGEST_SLEEP_MS = 24 * 3_600_000;

/** A signal that aborts at a moment that may become known later. Dispose of it when the step has ended. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Only the first call has an effect. Infinity is ignored. */
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
      else sleepUntil(moment).then(pass, () => {}); // disposed of in time
    },
    [Symbol.dispose]: () => over.abort(new Error('the step is over')),
  };
}
