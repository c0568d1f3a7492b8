import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Comparison } from './password-thread.ts';
import { tooManyLogins } from './too-many-logins.ts';

const MOST_THREADS = 2;
const MOST_WAITING = 16;
const RETRY_AFTER_SECONDS = 5;

interface Waiting {
  readonly comparison: Comparison;
  readonly settle: PromiseWithResolvers<boolean>;
}

/**
 * Compares passwords with bcrypt hashes. That costs much time by design, and everybody may send passwords, so it is done in
 * a few threads: web itself goes on. A thread ends when nothing waits any more.
 */
export class PasswordThreads {
  readonly #waiting: Waiting[] = [];
  #threads = 0;

  /** Rejects with `too-many-requests` if too many comparisons wait already. */
  async compare(comparison: Comparison): Promise<boolean> {
    if (this.#waiting.length >= MOST_WAITING) {
      throw tooManyLogins('Too many people log in at the moment.', RETRY_AFTER_SECONDS);
    }
    const settle = Promise.withResolvers<boolean>();
    this.#waiting.push({ comparison, settle });
    if (this.#threads < MOST_THREADS) void this.#runThread();
    return settle.promise;
  }

  async #runThread(): Promise<void> {
    this.#threads += 1;
    let current: Waiting | undefined;
    try {
      const thread = new Worker(new URL('./password-thread.ts', import.meta.url));
      for (current = this.#waiting.shift(); current; current = this.#waiting.shift()) {
        thread.postMessage(current.comparison);
        const [isSame] = await once(thread, 'message');
        current.settle.resolve(isSame);
      }
      void thread.terminate();
    } catch (error) {
      current?.settle.reject(error); // the thread has ended
    }
    this.#threads -= 1;
    if (this.#waiting.length > 0) void this.#runThread();
  }
}
