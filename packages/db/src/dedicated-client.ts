import pg from 'pg';

/**
 * The server is to notice within half a minute that the machine at this end has gone, with all it holds. By default it
 * takes two hours.
 */
const NOTICE_OUR_DEATH =
  'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4; SET tcp_user_timeout = 30000';

/**
 * A connection of its own to where the pool connects, for what must outlive a transaction: LISTEN and session locks. It
 * runs one statement at a time; who comes meanwhile waits.
 */
export class DedicatedClient {
  readonly #client: pg.Client;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** `onEnd` is called once, when a connection that was made has ended for whatever reason. */
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
    const result = this.#last.then(() => this.#client.query<R>(text, values));
    this.#last = result.catch(() => {});
    return result;
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload }) => listener(channel, payload ?? ''));
  }

  /**
   * Asks for a sign of life, so that a connection whose other end has silently gone is noticed. Ends the connection if
   * there is none in time.
   */
  async probe(timeoutMs: number): Promise<void> {
    const timer = setTimeout(() => this.destroy(), timeoutMs);
    await this.query('SELECT').catch(() => this.destroy());
    clearTimeout(timer);
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => {});
  }

  /** Ends the connection without a word to the server, which may not be there to hear it. */
  destroy(): void {
    this.#client.connection.stream.destroy();
  }
}
