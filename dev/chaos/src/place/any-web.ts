import { setTimeout as sleep } from 'node:timers/promises';
import { ApiUser } from '@seaplane/web/testing';

/** A web that is stopped takes requests and answers none. */
const PATIENCE_MS = 10_000;

/** Asks the webs in turn until one answers: any of them may be away. */
export class AnyWeb {
  readonly #urls: readonly string[];
  readonly #users = new Map<string, ApiUser>();

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** `ask` must be idempotent: an answer may be lost. Throws the last failure when the signal is aborted. */
  async ask<T>(signal: AbortSignal, ask: (user: ApiUser) => Promise<T>): Promise<T> {
    for (let turn = 0; ; turn++) {
      const url = this.#urls[turn % this.#urls.length] ?? '';
      try {
        return await withinPatience(this.#userOf(url).then(ask));
      } catch (error) {
        if (signal.aborted || /: 4\d\d /.test((error as Error).message)) throw error; // a refusal stays one
        await sleep(200);
      }
    }
  }

  async #userOf(url: string): Promise<ApiUser> {
    const user = this.#users.get(url) ?? (await ApiUser.login(url));
    this.#users.set(url, user);
    return user;
  }
}

function withinPatience<T>(answer: Promise<T>): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${PATIENCE_MS / 1000} s`)), PATIENCE_MS);
  answer.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
