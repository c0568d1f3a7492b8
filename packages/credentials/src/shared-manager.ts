import type { Json } from '@seaplane/config';
import type { Clock } from '@seaplane/engine';
import type { CredentialManager, Secret, VarScope } from './manager.ts';
import { retryUnavailable } from './retry.ts';
import { unlessAborted } from './unless-aborted.ts';

/** How long an answer is used again. Concourse's own figures (`secret-cache-duration`, `...-notfound`). */
const FOUND_MS = 60_000;
const MISSING_MS = 10_000;

interface Answer {
  readonly secret: Promise<Secret | undefined>;
  /** By the clock that nobody sets; Infinity while the manager has not answered. */
  freshUntil: number;
  /** The time of day that the manager gave. */
  expiresAt?: Date | undefined;
}

/**
 * A manager with what all managers have in common: answers are cached by path, requests for the same path at the same
 * time are one request, and a manager that is unavailable is asked again. Errors are not cached.
 */
export class SharedManager implements AsyncDisposable {
  readonly #manager: CredentialManager;
  readonly #clock: Clock;
  readonly #answers = new Map<string, Answer>();
  readonly #closing = new AbortController();

  constructor(manager: CredentialManager, clock: Clock) {
    this.#manager = manager;
    this.#clock = clock;
  }

  paths(name: string, scope: VarScope): readonly string[] {
    return this.#manager.paths(name, scope);
  }

  /** The value at the first of the variable's paths that has one. */
  async find(name: string, scope: VarScope, signal: AbortSignal): Promise<Json | undefined> {
    for (const path of this.#manager.paths(name, scope)) {
      const secret = await unlessAborted(signal, this.#read(path, scope));
      if (secret) return secret.value;
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the credential manager is closing'));
    await this.#manager[Symbol.asyncDispose]();
  }

  #read(path: string, scope: VarScope): Promise<Secret | undefined> {
    const known = this.#answers.get(path);
    if (known && this.#isFresh(known)) return known.secret;
    this.#forgetStale();
    // The request is not of one caller alone, so no caller's signal ends it.
    const { signal } = this.#closing;
    const secret = retryUnavailable(this.#clock, signal, () => this.#manager.read(path, scope, signal));
    const answer: Answer = { secret, freshUntil: Number.POSITIVE_INFINITY };
    this.#answers.set(path, answer);
    secret.then(
      (found) => {
        answer.freshUntil = this.#clock.elapsedMs() + (found ? FOUND_MS : MISSING_MS);
        answer.expiresAt = found?.expiresAt;
      },
      () => this.#answers.delete(path),
    );
    return secret;
  }

  #isFresh({ freshUntil, expiresAt }: Answer): boolean {
    return this.#clock.elapsedMs() < freshUntil && (!expiresAt || this.#clock.now() < expiresAt);
  }

  #forgetStale(): void {
    for (const [path, answer] of this.#answers) if (!this.#isFresh(answer)) this.#answers.delete(path);
  }
}
