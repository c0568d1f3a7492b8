import type { Clock } from '@seaplane/engine';
import { withSignal } from './with-signal.ts';

/** Wakes everybody who waits for a change, whatever the change is. */
export class ChangeSignal {
  readonly #clock: Clock;
  #next = Promise.withResolvers<void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Resolves at the next change. Ask for it before you look at what may change, so that no change is missed. */
  next(): Promise<void> {
    return this.#next.promise;
  }

  announce(): void {
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<void>();
    resolve();
  }

  /** Returns when `change` has come, or after this time. */
  async within(change: Promise<void>, ms: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const late = this.#clock.sleep(ms, AbortSignal.any([signal, over.signal])).catch(() => {});
    try {
      await withSignal(Promise.race([change, late]), signal);
    } finally {
      over.abort();
    }
  }
}
