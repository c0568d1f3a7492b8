import { type ReadonlySignal, signal } from '@preact/signals';

/** The answers that a proxy gives for a server that does not. */
const UNREACHED = [502, 503, 504];

/** Whether the server answers. While it does not, a page is as old as the last answer. */
export class Reach {
  readonly #lostSince = signal<Date | undefined>(undefined);
  /** When the server answered for the last time. Undefined while it answers. */
  readonly lostSince: ReadonlySignal<Date | undefined> = this.#lostSince;
  readonly #now: () => Date;
  #heardAt: Date;

  constructor(now: () => Date = () => new Date()) {
    this.#now = now;
    this.#heardAt = now();
  }

  /** After each request, with the status of its answer: 0 if there was none. */
  hear(status: number): void {
    if (isUnreached(status)) {
      this.#lostSince.value ??= this.#heardAt;
      return;
    }
    this.#heardAt = this.#now();
    this.#lostSince.value = undefined;
  }
}

/** Whether this status says that the server itself was not reached. */
export function isUnreached(status: number): boolean {
  return status === 0 || UNREACHED.includes(status);
}
