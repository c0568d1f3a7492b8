interface Job<T> {
  readonly result: Promise<T>;
  readonly controller: AbortController;
  waiters: number;
}

/**
 * Work that several callers want at the same time is done once. A caller that aborts leaves the others alone; the work is
 * aborted when its last caller has left. A failure reaches the caller that began the work; the others then try by themselves,
 * since theirs may be better credentials.
 */
export class SharedWork<T> {
  readonly #jobs = new Map<string, Job<T>>();

  async do(key: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const begun = this.#jobs.get(key);
    const job = begun ?? this.#start(key, work);
    job.waiters++;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave);
    try {
      return await Promise.race([job.result, left]);
    } catch (error) {
      if (!begun || signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', leave);
      job.waiters--;
      if (job.waiters === 0) {
        if (this.#jobs.get(key) === job) this.#jobs.delete(key);
        job.controller.abort(signal.reason ?? new Error('nobody waits for it'));
        await job.result.catch(() => {}); // whoever comes next finds nothing half done
      }
    }
    return this.do(key, signal, work);
  }

  #start(key: string, work: (signal: AbortSignal) => Promise<T>): Job<T> {
    const controller = new AbortController();
    const job: Job<T> = { result: work(controller.signal), controller, waiters: 0 };
    this.#jobs.set(key, job);
    job.result
      .catch(() => {})
      .finally(() => {
        if (this.#jobs.get(key) === job) this.#jobs.delete(key);
      });
    return job;
  }
}
