import type { Clock } from '@seaplane/engine';

const RETRY_MS = [100, 500, 1_000, 5_000];
/** A wake-up after a failed look waits at most this long. */
const LONGEST_REST_MS = 1_000;

export interface LoopOptions {
  /** Names the loop in errors. */
  readonly name: string;
  readonly clock: Clock;
  readonly intervalMs: number;
  readonly restMs?: number;
  /** Returns in how many milliseconds it wants to look again, if that is sooner than the interval. */
  readonly look: (signal: AbortSignal) => Promise<number | undefined>;
  readonly onError: (error: unknown, loop: string) => void;
  /** The wait after the first failure in a row, the second, and so on. The last one repeats. */
  readonly retryMs?: readonly number[];
}

/**
 * Looks at once, then whenever it is woken, and at least every interval. Looks never overlap; a wake-up during a look
 * causes another look after it. A failed look is retried after a growing wait, or when the loop is woken.
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

  /** Aborts a look that is under way, and waits for it to end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error(`${this.#options.name} stops`));
    this.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { look, clock, intervalMs, restMs = 0, retryMs = RETRY_MS, onError, name } = this.#options;
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
      if (rest > 0 && !signal.aborted) await clock.sleep(rest, signal).catch(() => {});
      if (rest === 0 || wait > rest) await this.#wakeOr(wait - rest);
    }
  }

  async #wakeOr(ms: number): Promise<void> {
    const woken = new AbortController();
    await Promise.race([this.#woken.promise, this.#options.clock.sleep(Math.max(ms, 0), woken.signal)]);
    woken.abort();
  }
}
