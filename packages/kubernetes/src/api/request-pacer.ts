import type { Clock } from '@seaplane/orchestrator';

/** A burst of steps queues here rather than at the API server. */
const MOST_AT_ONCE = 24;
/** An API server that gives no time to wait is left alone for this long. */
const WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** After this many refusals in a row the error is thrown. */
const TRIES = 8;

/** The API server answered 429, so it has not done anything. */
export class TooManyRequests extends Error {
  readonly retryAfterMs: number | undefined;
  /** The error if it is not tried again. */
  readonly final: Error;

  constructor(final: Error, retryAfter: string | undefined) {
    super(final.message);
    this.final = final;
    const seconds = Number(retryAfter);
    this.retryAfterMs = retryAfter !== undefined && Number.isFinite(seconds) ? seconds * 1_000 : undefined;
  }
}

/**
 * Adapts the number of simultaneous requests to an API server: half as many after each answer 429, and slowly more after
 * answers that are not. After a 429 no request begins for as long as the API server says (Retry-After); then the refused
 * request is sent again.
 */
export class RequestPacer {
  readonly #clock: Clock;
  readonly #onSlower: (waitMs: number, atOnce: number) => void;
  #atOnce = MOST_AT_ONCE;
  #running = 0;
  #pausedUntil = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(clock: Clock, onSlower: (waitMs: number, atOnce: number) => void) {
    this.#clock = clock;
    this.#onSlower = onSlower;
  }

  async run<T>(signal: AbortSignal, send: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      await this.#enter(signal);
      try {
        const answer = await send();
        this.#atOnce = Math.min(MOST_AT_ONCE, this.#atOnce + 1 / this.#atOnce);
        return answer;
      } catch (error) {
        if (!(error instanceof TooManyRequests)) throw error;
        if (tries === TRIES) throw error.final;
        this.#slowDown(error.retryAfterMs ?? WAIT_MS);
      } finally {
        this.#running--;
        this.#next();
      }
    }
  }

  #slowDown(askedMs: number): void {
    const waitMs = Math.min(askedMs, LONGEST_WAIT_MS);
    const until = this.#clock.elapsedMs() + waitMs;
    // Requests that were under way together are refused together: that counts once.
    const again = this.#pausedUntil > this.#clock.elapsedMs();
    this.#pausedUntil = Math.max(this.#pausedUntil, until);
    if (again) return;
    this.#atOnce = Math.max(1, Math.floor(this.#atOnce / 2));
    this.#onSlower(waitMs, this.#atOnce);
  }

  async #enter(signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const pause = this.#pausedUntil - this.#clock.elapsedMs();
      if (pause > 0) await this.#clock.sleep(pause, signal);
      else if (this.#running >= Math.floor(this.#atOnce)) await this.#turn(signal);
      else break;
    }
    this.#running++;
  }

  async #turn(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push(resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    await promise;
    const place = this.#waiting.indexOf(resolve);
    if (place >= 0) this.#waiting.splice(place, 1);
  }

  #next(): void {
    this.#waiting.shift()?.();
  }
}
