import type { Interruption } from './interruption.ts';
import type { Clock } from './seams.ts';

/** A moment, once it is known, at which a signal aborts. Dispose of it when nobody waits for it any more. */
export interface Deadline extends Disposable {
  readonly signal: AbortSignal;
  /** The first moment that is set counts. Infinity is no moment. */
  set(moment: number): void;
}

export function newDeadline(clock: Clock, reason: Interruption): Deadline {
  const passed = new AbortController();
  const over = new AbortController();
  let known = false;
  return {
    signal: passed.signal,
    set(moment) {
      if (known || moment === Number.POSITIVE_INFINITY) return;
      known = true;
      const pass = () => passed.abort(reason);
      const left = moment - clock.now().getTime();
      if (left <= 0) pass();
      else clock.sleep(left, over.signal).then(pass, () => {}); // over in time
    },
    [Symbol.dispose]: () => over.abort(new Error('the step is over')),
  };
}
