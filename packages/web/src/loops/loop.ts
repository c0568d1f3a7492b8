import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = [100, 500, 1_000, 5_000];
/** After a look that failed nothing wakes it sooner than this. */
const LONGEST_REST_MS = 1_000;

export interface LoopOptions {
  readonly name: string;
  /** The safety net for a lost wake-up: it is looked at least this often. */
  readonly intervalMs: number;
  /** Between two looks there is at least this time, however often it is woken. */
  readonly restMs?: number;
  /**
   * Looks at the truth and does what there is to do. Level-triggered: it must not matter what woke it, nor that it is
   * woken for nothing. May return how many milliseconds from now it wants to look again.
   */
  readonly look: (signal: AbortSignal) => Promise<number | undefined>;
  readonly onError: (error: unknown, loop: string) => void;
  /** How long it waits after the first failure in a row, the second, and so on. */
  readonly retryMs?: readonly number[];
}

/**
 * Looks at once, then whenever it is woken, and at least every interval; one look at a time. A wake-up during a look is
 * remembered. A look that fails is tried again soon, then later, or when it is woken.
 */
export class Loop implements AsyncDisposable {
  readonly #options: LoopOptions;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;
  #woken = Promise.withResolvers<void>();

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#running = this.#run();
  }

  wake(): void {
    this.#woken.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error(`${this.#options.name} stops`));
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { look, intervalMs, restMs = 0, retryMs = RETRY_MS, onError, name } = this.#options;
    const { signal } = this.#stop;
    let failures = 0;
    while (!signal.aborted) {
      this.#woken = Promise.withResolvers();
      let [rest, wait] = [restMs, intervalMs];
      try {
        wait = Math.min(wait, (await look(signal)) ?? wait);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        onError(error, name);
        wait = retryMs[Math.min(failures++, retryMs.length - 1)] ?? intervalMs;
        rest = Math.max(rest, Math.min(wait, LONGEST_REST_MS));
      }
      if (rest > 0) await sleep(rest, undefined, { signal }).catch(() => {});
      await this.#wakeOr(wait - rest);
    }
  }

  async #wakeOr(ms: number): Promise<void> {
    const timer = setTimeout(() => this.wake(), Math.max(ms, 0));
    await this.#woken.promise;
    clearTimeout(timer);
  }
}
