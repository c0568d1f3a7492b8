/** Lets code wait for a key until other code wakes that key. */
export class Waiters {
  readonly #waiting = new Map<string, Set<() => void>>();

  wake(key: string): void {
    const woken = this.#waiting.get(key);
    this.#waiting.delete(key);
    for (const resolve of woken ?? []) resolve();
  }

  /** Resolves at the next wake-up, or after `ms`; rejects with the signal's reason. */
  wait(key: string, ms: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal.aborted) return Promise.reject(signal.reason);
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting.add(resolve));
    const timer = setTimeout(resolve, ms);
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      waiting.delete(resolve);
    });
  }
}
