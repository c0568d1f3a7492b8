import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

import type { EmbeddedPostgres } from './embedded/embedded-postgres.ts';
import { codeOf } from './errors.ts';
import type { Instance } from './instance.ts';

export type DatabaseKind = 'embedded' | 'external';

/** `version` is the server's, as last seen. */
export type DatabaseHealth =
  | { readonly status: 'ok'; readonly version: string }
  /** `error` may be shown in public: it names no host, user or file. */
  | { readonly status: 'failing'; readonly version: string; readonly error: string };

const CLOSE_TIMEOUT_MS = 2_000;

export interface DatabaseParts {
  readonly kind: DatabaseKind;
  readonly pool: pg.Pool;
  readonly backgroundPool: pg.Pool;
  readonly collectionPool: pg.Pool;
  /** A pool of its own, so that health can be asked while every other connection is busy. */
  readonly healthPool: pg.Pool;
  readonly instance: Instance;
  /** The server's version, such as `18.4`. */
  readonly version: string;
  readonly embedded?: EmbeddedPostgres | undefined;
}

/**
 * The database that Seaplane runs on, whoever runs the server. Owns its connections, and the server if it is embedded.
 */
export class Database implements AsyncDisposable {
  readonly kind: DatabaseKind;
  /** For requests and those who watch builds. If all its connections are in use for long, operations fail with `pool-busy`. */
  readonly pool: pg.Pool;
  /** For builds and the loops that drive them. Operations wait for a connection. */
  readonly backgroundPool: pg.Pool;
  /** For the collection of garbage. Its statements may take minutes. */
  readonly collectionPool: pg.Pool;
  readonly instance: Instance;
  readonly #healthPool: pg.Pool;
  readonly #embedded: EmbeddedPostgres | undefined;
  #version: string;
  #healthCheck: Promise<DatabaseHealth> | undefined;
  #closed: Promise<void> | undefined;

  /** Use `openDatabase`. */
  constructor({ kind, pool, backgroundPool, collectionPool, healthPool, instance, version, embedded }: DatabaseParts) {
    this.#version = version;
    this.kind = kind;
    this.pool = pool;
    this.backgroundPool = backgroundPool;
    this.collectionPool = collectionPool;
    this.instance = instance;
    this.#healthPool = healthPool;
    this.#embedded = embedded;
  }

  /** Asks the server now. Answers within a few seconds; callers that come in the meantime get the same answer. */
  health(): Promise<DatabaseHealth> {
    this.#healthCheck ??= this.#checkHealth().finally(() => {
      this.#healthCheck = undefined;
    });
    return this.#healthCheck;
  }

  async #checkHealth(): Promise<DatabaseHealth> {
    try {
      const { rows } = await this.#healthPool.query<{ version: string }>(
        "SELECT current_setting('server_version') AS version FROM instance",
      );
      this.#version = rows[0]?.version ?? this.#version;
      return { status: 'ok', version: this.#version };
    } catch (error) {
      return { status: 'failing', version: this.#version, error: this.#describe(error) };
    }
  }

  #describe(error: unknown): string {
    const code = codeOf(error);
    const gone = code === 'ECONNREFUSED' || code === 'ENOENT';
    if (this.#embedded?.status === 'restarting' || (this.#embedded && gone)) {
      return 'the embedded server stopped and is being started again';
    }
    if (code === '57P03') return 'the server is starting or stopping';
    if (gone) return 'the server is not running';
    if (error instanceof Error && /timeout/i.test(error.message)) return 'the server did not answer in time';
    return code ? `the server cannot be used (${code})` : 'the connection failed';
  }

  /** Ends the connections, waiting a little for queries under way, then stops an embedded server. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const pools = [this.pool, this.backgroundPool, this.collectionPool, this.#healthPool];
    const ended = Promise.all(pools.map((pool) => pool.end()));
    const giveUp = new AbortController();
    const waited = sleep(CLOSE_TIMEOUT_MS, undefined, { signal: giveUp.signal }).catch(() => {});
    await Promise.race([ended, waited]);
    giveUp.abort();
    await this.#embedded?.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
