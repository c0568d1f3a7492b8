/**
 * Wakes one waiter. `set` wakes the waiter, or, when nobody waits, lets the next `wait` return at once. Several calls
 * of `set` before a `wait` count as one.
 */
export class AutoResetEvent {
  #isSet = false;
  #wake: (() => void) | undefined;

  set(): void {
    this.#isSet = true;
    this.#wake?.();
  }

  /** Returns when `set` was called since the last wait. Rejects with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#isSet) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const onAbort = () => reject(signal.reason);
      this.#wake = resolve;
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        await promise;
      } finally {
        signal.removeEventListener('abort', onAbort);
        this.#wake = undefined;
      }
    }
    this.#isSet = false;
  }
}
