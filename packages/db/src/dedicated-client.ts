import pg from 'pg';
import { isUnusableAfter } from './connection-lost.ts';

/**
 * Makes the server notice within half a minute that this machine has gone, and free what it holds. The default is two
 * hours.
 */
const NOTICE_OUR_DEATH =
  'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4; SET tcp_user_timeout = 30000';

/**
 * A connection outside of the pool, for state that outlives a transaction: LISTEN and session locks. It runs one
 * statement at a time; later statements wait.
 */
export class DedicatedClient {
  readonly #client: pg.Client;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** `onEnd` is called once, when an established connection has ended for whatever reason. */
  static async connect(pool: pg.Pool, onEnd: () => void): Promise<DedicatedClient> {
    const client = new pg.Client(pool.options);
    client.on('error', () => {}); // `end` follows
    try {
      await client.connect();
      await client.query(NOTICE_OUR_DEATH);
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
    client.once('end', onEnd);
    return new DedicatedClient(client);
  }

  query<R extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<R>> {
    const result = this.#last.then(async () => {
      try {
        return await this.#client.query<R>(text, values);
      } catch (error) {
        // The server may still do what it did not answer, such as giving a lock. Ending the connection undoes that.
        if (isUnusableAfter(error)) this.destroy();
        throw error;
      }
    });
    this.#last = result.catch(() => {});
    return result;
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload }) => listener(channel, payload ?? ''));
  }

  /**
   * Sends a query, to detect a connection whose other end has gone silently. Ends the connection if no answer comes in
   * time.
   */
  async probe(timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.destroy(), timeoutMs);
    await this.query('SELECT').catch(() => this.destroy());
    clearTimeout(timer);
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  /** Ends the connection without a goodbye to the server, which may have gone. */
  destroy(): void {
    this.#client.connection.stream.destroy();
  }
}
