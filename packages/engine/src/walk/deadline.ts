import type { Clock } from '../seams.ts';
import type { Interruption } from './interruption.ts';

/** Node's timers reach 24 days ahead. A longer sleep is made of several. */
const LONGEST_SLEEP_MS = 24 * 3_600_000;

/** A signal that aborts after a time that may become known later. Dispose of it when the step has ended. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** Only the first call has an effect. Infinity is ignored. */
  passIn(ms: number): void;
}

/** Asks the clock only to sleep: what time it is here does not matter. */
export function newDeadline(clock: Pick<Clock, 'sleep'>, reason: Interruption): Deadline {
  const passed = new AbortController();
  const over = new AbortController();
  const sleepFor = async (ms: number) => {
    for (let left = ms; left > 0; left -= LONGEST_SLEEP_MS) {
      await clock.sleep(Math.min(left, LONGEST_SLEEP_MS), over.signal);
    }
  };
  let known = false;
  return {
    signal: passed.signal,
    passIn(ms) {
      if (known || ms === Number.POSITIVE_INFINITY) return;
      known = true;
      const pass = () => passed.abort(reason);
      if (ms <= 0) pass();
      else sleepFor(ms).then(pass, () => {}); // disposed of in time
    },
    [Symbol.dispose]: () => over.abort(new Error('the step is over')),
  };
}
