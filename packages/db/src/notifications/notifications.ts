import type pg from 'pg';
import { DedicatedClient } from '../dedicated-client.ts';
import { CHANNELS, type Channel } from './channels.ts';

/**
 * Called with the payload of a notification. Called with undefined when notifications may have been missed: then the
 * listener must read everything again that it follows. Must not throw.
 */
export type Listener = (payload: string | undefined) => void;

const PROBE_INTERVAL_MS = 15_000;
const PROBE_TIMEOUT_MS = 15_000;
const RECONNECT_MS = [50, 100, 200, 500, 1_000];

/**
 * The notifications of a process: one dedicated connection that listens to every channel (`channels.ts`) and passes
 * each notification to the listeners of its channel.
 *
 * States:
 *
 * - listening: `#client` is connected and has sent LISTEN for every channel. It is probed every 15 seconds; if the
 *   server does not answer, the client is ended. When the client ends, for whatever reason, the state is reconnecting.
 * - reconnecting: `#reconnect` is a timer with a growing delay. Each attempt either listens again or sets the next
 *   timer. Whatever was notified in between is lost, so the first thing after a reconnection is to call every listener
 *   with undefined. Listeners read the truth again; no notification carries data that is nowhere else.
 * - closed: for good. `close` ends the client and clears both timers.
 *
 * `open` returns in the state listening, or throws. A notification that is committed after `subscribe` returned reaches
 * its listener, or the listener is called with undefined. So a caller subscribes first and reads afterwards.
 */
export class Notifications implements AsyncDisposable {
  readonly #pool: pg.Pool;
  readonly #listeners: Readonly<Record<Channel, Set<Listener>>>;
  #client: DedicatedClient | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #probe: NodeJS.Timeout | undefined;
  #attempt = 0;
  #closed = false;

  private constructor(pool: pg.Pool) {
    this.#pool = pool;
    const names = Object.keys(CHANNELS) as Channel[];
    this.#listeners = Object.fromEntries(names.map((name) => [name, new Set()])) as unknown as Record<
      Channel,
      Set<Listener>
    >;
  }

  static async open(pool: pg.Pool): Promise<Notifications> {
    const notifications = new Notifications(pool);
    try {
      await notifications.#listen();
      return notifications;
    } catch (error) {
      await notifications.close();
      throw error;
    }
  }

  /** Every notification that is committed after this returns reaches the listener. */
  subscribe(channel: Channel, listener: Listener): Disposable {
    const listeners = this.#listeners[channel];
    const own: Listener = (payload) => listener(payload);
    listeners.add(own);
    return { [Symbol.dispose]: () => void listeners.delete(own) };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnect);
    clearInterval(this.#probe);
    await this.#client?.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #listen(): Promise<void> {
    const client = await DedicatedClient.connect(this.#pool, () => this.#reconnectLater());
    this.#client = client;
    if (this.#closed) return client.end();
    client.onNotification((channel, payload) => this.#dispatch(channel, payload));
    await client.query(
      Object.values(CHANNELS)
        .map((channel) => `LISTEN ${channel}`)
        .join(';'),
    );
    this.#attempt = 0;
    this.#probe = setInterval(() => void client.probe(PROBE_TIMEOUT_MS), PROBE_INTERVAL_MS).unref();
  }

  #dispatch(pgChannel: string, payload: string): void {
    for (const [name, own] of Object.entries(CHANNELS)) {
      if (own === pgChannel) for (const listener of this.#listeners[name as Channel]) listener(payload);
    }
  }

  #reconnectLater(): void {
    clearInterval(this.#probe);
    this.#client = undefined;
    // A connection that ends while it sends LISTEN is reported twice.
    if (this.#closed || this.#reconnect) return;
    const delay = RECONNECT_MS[Math.min(this.#attempt++, RECONNECT_MS.length - 1)];
    this.#reconnect = setTimeout(() => void this.#listenAgain(), delay);
  }

  async #listenAgain(): Promise<void> {
    this.#reconnect = undefined;
    try {
      await this.#listen();
    } catch {
      if (this.#client) await this.#client.end();
      else this.#reconnectLater();
      return;
    }
    for (const listeners of Object.values(this.#listeners)) for (const listener of listeners) listener(undefined);
  }
}
