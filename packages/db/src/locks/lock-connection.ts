import type pg from 'pg';
import { DedicatedClient } from '../dedicated-client.ts';
import { Batch } from './batch.ts';

/** A connection that holds advisory locks. Locks that are asked for, or freed, at the same time go in one statement. */
export class LockConnection {
  readonly #client: DedicatedClient;
  readonly #locking = new Batch((keys) => this.#lock(keys));
  readonly #unlocking = new Batch((keys) => this.#unlock(keys));

  private constructor(client: DedicatedClient) {
    this.#client = client;
  }

  /** `onEnd` is called once, when an established connection has ended for whatever reason. */
  static async open(pool: pg.Pool, onEnd: () => void): Promise<LockConnection> {
    return new LockConnection(await DedicatedClient.connect(pool, onEnd));
  }

  /** Returns false if another connection has the lock. The key must not be held or asked for on this connection. */
  tryLock(key: string): Promise<boolean> {
    return this.#locking.add(key);
  }

  /** Never throws: if the server does not answer, the connection ends, and the server frees its locks. */
  async unlock(key: string): Promise<void> {
    await this.#unlocking.add(key).catch(() => this.destroy());
  }

  probe(timeoutMs: number): Promise<void> {
    return this.#client.probe(timeoutMs);
  }

  end(): Promise<void> {
    return this.#client.end();
  }

  destroy(): void {
    this.#client.destroy();
  }

  async #lock(keys: readonly string[]): Promise<ReadonlySet<string>> {
    try {
      const { rows } = await this.#client.query<{ key: string }>(
        'SELECT key::text FROM unnest($1::bigint[]) AS key WHERE pg_try_advisory_lock(key)',
        [keys],
      );
      return new Set(rows.map(({ key }) => key));
    } catch (error) {
      // A statement that fails keeps the locks it has got so far, for example if the server has no room for more locks.
      await this.#unlock(keys).catch(() => this.destroy());
      throw error;
    }
  }

  async #unlock(keys: readonly string[]): Promise<ReadonlySet<string>> {
    await this.#client.query('SELECT pg_advisory_unlock(key) FROM unnest($1::bigint[]) AS key', [keys]);
    return new Set(keys);
  }
}
