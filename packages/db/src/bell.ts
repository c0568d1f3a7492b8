/** Wakes one waiter. However often it rang while nobody waited, the next wait returns once, and at once. */
export class Bell {
  #rung = false;
  #wake: (() => void) | undefined;

  ring(): void {
    this.#rung = true;
    this.#wake?.();
  }

  /** Returns when it has rung since the last wait. Rejects with the signal's reason. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (!this.#rung) {
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
    this.#rung = false;
  }
}
