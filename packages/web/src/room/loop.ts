import { setTimeout as sleep } from 'node:timers/promises';

const RETRY_MS = [100, 500, 1_000, 5_000];

export interface LoopOptions {
  readonly name: string;
  /** The safety net for a lost wake-up: it is looked at least this often. */
  readonly intervalMs: number;
  /**
   * Looks at the truth and does what there is to do. Level-triggered: it must not matter what woke it, nor that it is
   * woken for nothing. May return how many milliseconds from now it wants to look again.
   */
  readonly look: (signal: AbortSignal) => Promise<number | undefined>;
  readonly onError: (error: unknown, loop: string) => void;
}

/**
 * Looks at once, then whenever it is woken, and at least every interval; one look at a time. A wake-up during a look is
 * remembered. A look that fails is tried again soon, then later.
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
    await this.#running;
  }

  async #run(): Promise<void> {
    const { look, intervalMs, onError, name } = this.#options;
    let failures = 0;
    while (!this.#stop.signal.aborted) {
      this.#woken = Promise.withResolvers();
      let wait = intervalMs;
      try {
        wait = Math.min(wait, (await look(this.#stop.signal)) ?? wait);
        failures = 0;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        onError(error, name);
        await this.#pause(RETRY_MS[Math.min(failures++, RETRY_MS.length - 1)] ?? 0);
        continue;
      }
      await Promise.race([this.#woken.promise, this.#pause(wait)]);
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => {});
  }
}
