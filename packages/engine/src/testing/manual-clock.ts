import type { Clock } from '../seams.ts';

export interface ManualClock extends Clock {
  /** Lets time pass once all is quiet, and wakes sleepers. Resolves when all is quiet again. */
  advance(ms: number): Promise<void>;
  /** Sets the time of day by so much, ahead or back. No time passes. */
  set(byMs: number): void;
  /** How many sleep. */
  sleepers(): number;
}

/** A clock that stands still until a test advances it. */
export function manualClock(start = Date.UTC(2026, 0, 1)): ManualClock {
  let elapsed = 0;
  let offset = start;
  const sleeping = new Set<{ readonly until: number; readonly wake: () => void }>();
  return {
    now: () => new Date(offset + elapsed),
    elapsedMs: () => elapsed,
    set(byMs) {
      offset += byMs;
    },
    sleepers: () => sleeping.size,
    sleep(ms, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { until: elapsed + ms, wake: resolve };
      sleeping.add(sleeper);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      return promise.finally(() => sleeping.delete(sleeper));
    },
    async advance(ms) {
      await quiet();
      elapsed += ms;
      const due = [...sleeping].filter(({ until }) => until <= elapsed).sort((a, b) => a.until - b.until);
      for (const { wake } of due) wake();
      await quiet();
    },
  };
}

/** Resolves when nothing more happens by itself. */
export async function quiet(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
}
