import type { Clock } from '@seaplane/engine';

/**
 * Remembers since when things on a host have been unknown to the database. Only the time between two looks of this web
 * counts: the age that a host gives would be by another clock, and a clock that is set would make things old at once.
 */
export class UnknownSince {
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  readonly #graceMs: number;
  readonly #since = new Map<string, ReadonlyMap<string, number>>();

  constructor(clock: Pick<Clock, 'elapsedMs'>, graceMs: number) {
    this.#clock = clock;
    this.#graceMs = graceMs;
  }

  /** Takes all things of a host that are unknown now. Returns those that have been unknown for the grace period. */
  overdue(host: string, unknown: readonly string[]): string[] {
    const now = this.#clock.elapsedMs();
    const before = this.#since.get(host);
    const since = new Map(unknown.map((id) => [id, before?.get(id) ?? now]));
    this.#since.set(host, since);
    return unknown.filter((id) => now - (since.get(id) ?? now) >= this.#graceMs);
  }
}
