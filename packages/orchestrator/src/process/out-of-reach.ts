import type { Clock } from '@seaplane/engine';

/**
 * Measures how long something has been out of reach. It sleeps instead of comparing times, because somebody may set the
 * clock. Dispose of it at the end.
 */
export class OutOfReach implements Disposable {
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #mostMs: number;
  #wait: AbortController | undefined;
  #tooLong = false;

  constructor(clock: Pick<Clock, 'sleep'>, mostMs: number) {
    this.#clock = clock;
    this.#mostMs = mostMs;
  }

  /** Out of reach all the time since the first failure after the last answer, and for longer than it may be. */
  get tooLong(): boolean {
    return this.#tooLong;
  }

  recordFailure(): void {
    if (this.#wait) return;
    const wait = new AbortController();
    this.#wait = wait;
    this.#clock.sleep(this.#mostMs, wait.signal).then(
      () => {
        this.#tooLong = !wait.signal.aborted;
      },
      () => {}, // answered in time
    );
  }

  recordAnswer(): void {
    this.#wait?.abort(new Error('it is in reach'));
    this.#wait = undefined;
    this.#tooLong = false;
  }

  [Symbol.dispose](): void {
    this.recordAnswer();
  }
}
