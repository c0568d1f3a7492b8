interface Work<T> {
  readonly result: Promise<T>;
  readonly stop: AbortController;
  waiting: number;
}

/**
 * Does the same work once for all who ask for it at the same time. A caller that stops waiting does not end the work for the
 * others; the last one that leaves does.
 */
export class SharedWork<T> {
  readonly #running = new Map<string, Work<T>>();

  /** Returns or throws as `start` does, which is called unless the work of this key is under way. */
  async run(key: string, signal: AbortSignal, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const work = this.#running.get(key) ?? this.#begin(key, start);
    work.waiting++;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([work.result, left.promise]);
    } finally {
      signal.removeEventListener('abort', leave);
      if (--work.waiting === 0) this.#end(key, work, signal.reason);
    }
  }

  #begin(key: string, start: (signal: AbortSignal) => Promise<T>): Work<T> {
    const stop = new AbortController();
    const work: Work<T> = { result: start(stop.signal), stop, waiting: 0 };
    work.result.catch(() => {}); // the callers handle it, unless all have left
    this.#running.set(key, work);
    return work;
  }

  /** Work that has ended does not notice the signal. The next caller begins anew. */
  #end(key: string, work: Work<T>, reason: unknown): void {
    if (this.#running.get(key) === work) this.#running.delete(key);
    work.stop.abort(reason ?? new Error('nobody waits for this any more'));
  }
}
