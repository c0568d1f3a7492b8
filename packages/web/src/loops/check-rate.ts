import type { Clock } from '@seaplane/engine';

/**
 * Limits how many checks begin in a second. It allows as many at once as in one second, and is full at the start. A rate of
 * `Infinity` does not limit.
 */
export class CheckRate {
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  #allowed: number | undefined;
  #at = 0;

  constructor(clock: Pick<Clock, 'elapsedMs'>) {
    this.#clock = clock;
  }

  /** How many checks may begin now, at this rate a second. */
  allowed(perSecond: number): number {
    if (perSecond === Number.POSITIVE_INFINITY) return perSecond;
    const now = this.#clock.elapsedMs();
    const most = Math.max(perSecond, 1);
    const gained = ((now - this.#at) / 1000) * perSecond;
    this.#allowed = this.#allowed === undefined ? most : Math.min(this.#allowed + gained, most);
    this.#at = now;
    return Math.floor(this.#allowed);
  }

  /** Records that checks begin. */
  begin(checks: number): void {
    if (this.#allowed !== undefined) this.#allowed -= checks;
  }

  /** In how many milliseconds another check may begin, at this rate. */
  nextInMs(perSecond: number): number {
    if (perSecond === Number.POSITIVE_INFINITY) return 0;
    return Math.max(((1 - (this.#allowed ?? 1)) / perSecond) * 1000, 0);
  }
}
