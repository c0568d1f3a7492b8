interface Waiting {
  readonly key: string;
  readonly resolve: (done: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Performs an action for many keys at once: keys that are added while the action is under way are the next batch. No key
 * may be added twice before its answer.
 */
export class Batch {
  readonly #perform: (keys: readonly string[]) => Promise<ReadonlySet<string>>;
  #waiting: Waiting[] = [];
  #running = false;

  /** `perform` returns the keys for which the action succeeded. */
  constructor(perform: (keys: readonly string[]) => Promise<ReadonlySet<string>>) {
    this.#perform = perform;
  }

  /** Returns whether the action succeeded for the key. Rejects if the action failed for the whole batch. */
  add(key: string): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    this.#waiting.push({ key, resolve, reject });
    void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    if (this.#running) return;
    this.#running = true;
    await undefined; // keys that are added at once go together
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      try {
        const done = await this.#perform(batch.map(({ key }) => key));
        for (const { key, resolve } of batch) resolve(done.has(key));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#running = false;
  }
}
