import { createHash } from 'node:crypto';
import type { Clock } from '@seaplane/engine';

/** fly sends a login that is refused twice: once as HTTP Basic, once as a form. */
const MOST_FAILURES = 10;
const PERIOD_MS = 60_000;
const MOST_REMEMBERED = 10_000;

/** A user name that somebody typed, and the address that it came from. */
export interface LoginAttempt {
  readonly name: string;
  readonly address: string;
}

interface Failures {
  readonly since: number;
  readonly count: number;
}

/**
 * Counts failed logins by name and address, so that nobody can try many passwords. It does not matter whether a user has
 * the name: the answer must not reveal that.
 */
export class FailedLogins {
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  /** The oldest first. Only so many are remembered. */
  readonly #failures = new Map<string, Failures>();

  constructor(clock: Pick<Clock, 'elapsedMs'>) {
    this.#clock = clock;
  }

  /** The seconds until the next attempt is allowed. 0: it is allowed now. */
  secondsToWait(attempt: LoginAttempt): number {
    const failures = this.#read(keyOf(attempt));
    if (!failures || failures.count < MOST_FAILURES) return 0;
    return Math.ceil((failures.since + PERIOD_MS - this.#now()) / 1000);
  }

  record(attempt: LoginAttempt): void {
    const key = keyOf(attempt);
    const { since, count } = this.#read(key) ?? { since: this.#now(), count: 0 };
    if (count === 0) this.#failures.delete(key);
    this.#failures.set(key, { since, count: count + 1 });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > MOST_REMEMBERED && oldest !== undefined) this.#failures.delete(oldest);
  }

  #read(key: string): Failures | undefined {
    const failures = this.#failures.get(key);
    return failures && this.#now() < failures.since + PERIOD_MS ? failures : undefined;
  }

  #now(): number {
    return this.#clock.elapsedMs();
  }
}

/** A name may be long. Its hash is not. */
function keyOf({ name, address }: LoginAttempt): string {
  return createHash('sha256')
    .update(JSON.stringify([address, name.toLowerCase()]))
    .digest('base64');
}
