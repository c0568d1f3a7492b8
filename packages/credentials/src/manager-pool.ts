import type { Json } from '@seaplane/config';
import { CredentialError } from './credential-error.ts';
import type { ManagerServices, ManagerType } from './manager.ts';
import { retryUnavailable } from './retry.ts';
import { SharedManager } from './shared-manager.ts';
import { unlessAborted } from './unless-aborted.ts';

/** A manager that nobody has used for this long is closed. */
const IDLE_MS = 5 * 60_000;

export interface ManagerPoolOptions extends ManagerServices {
  /** Called when a manager could not be closed properly. */
  readonly onError: (error: unknown, what: string) => void;
}

interface Entry {
  readonly manager: Promise<SharedManager>;
  users: number;
  /** Ends the wait that would close the manager. */
  idle?: AbortController;
}

/**
 * The open managers of one web: one for each type and configuration, however many builds use it. A manager is opened
 * when it is first used, stays open while it is used and for a while after, and is closed at the latest with the pool.
 * A manager that could not be opened is opened anew at the next use.
 */
export class ManagerPool implements AsyncDisposable {
  readonly #options: ManagerPoolOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #closing = new AbortController();

  constructor(options: ManagerPoolOptions) {
    this.#options = options;
  }

  async use<T>(
    type: ManagerType,
    config: Json,
    signal: AbortSignal,
    act: (manager: SharedManager) => Promise<T>,
  ): Promise<T> {
    this.#closing.signal.throwIfAborted();
    const key = JSON.stringify([type.type, config]);
    const entry = this.#entries.get(key) ?? this.#open(key, type, config);
    entry.users++;
    entry.idle?.abort();
    delete entry.idle;
    try {
      return await act(await unlessAborted(signal, entry.manager));
    } finally {
      entry.users--;
      if (entry.users === 0) this.#closeLater(key, entry);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new CredentialError('closed', 'this web is stopping'));
    await Promise.all([...this.#entries].map(([key, entry]) => this.#close(key, entry)));
  }

  #open(key: string, type: ManagerType, config: Json): Entry {
    const { clock, identity } = this.#options;
    const { signal } = this.#closing;
    const manager = retryUnavailable(clock, signal, () => type.open(config, { clock, identity }, signal)).then(
      (opened) => new SharedManager(opened, clock),
    );
    const entry: Entry = { manager, users: 0 };
    this.#entries.set(key, entry);
    manager.catch(() => this.#entries.delete(key));
    return entry;
  }

  #closeLater(key: string, entry: Entry): void {
    if (this.#entries.get(key) !== entry || this.#closing.signal.aborted) return;
    const idle = new AbortController();
    entry.idle = idle;
    this.#options.clock.sleep(IDLE_MS, AbortSignal.any([idle.signal, this.#closing.signal])).then(
      () => (entry.idle === idle ? this.#close(key, entry) : undefined),
      () => {}, // used again, or closed with the pool
    );
  }

  async #close(key: string, { manager }: Entry): Promise<void> {
    this.#entries.delete(key);
    const opened = await manager.catch(() => undefined);
    try {
      await opened?.[Symbol.asyncDispose]();
    } catch (error) {
      this.#options.onError(error, 'closing a credential manager');
    }
  }
}
