import type { Clock } from '@seaplane/engine';
import type pg from 'pg';
import { CHANNELS } from './channels.ts';

/** The least time between two announcements of a web. */
const REST_MS = 50;
const REST_AFTER_FAILURE_MS = 1_000;
/** A payload has less than 8,000 bytes. */
const IDS_PER_PAYLOAD = 300;

export interface EventAnnouncerContext {
  readonly pool: pg.Pool;
  readonly clock: Pick<Clock, 'sleep'>;
}

/**
 * Notifies the watchers of builds that the steps of this web have appended events: the first time at once, then at most
 * every 50 ms, for all builds together.
 *
 * The steps do not notify in the transaction of an append. PostgreSQL takes one lock of the whole database for a
 * transaction that notifies, until that transaction is on disk. So the appends of all builds would wait for each other,
 * and no two of them would share a flush. A web that dies between an append and its announcement leaves the append to the
 * next announcement of the build, and to the watchers' sweep.
 */
export class EventAnnouncer implements AsyncDisposable {
  readonly #context: EventAnnouncerContext;
  readonly #stop = new AbortController();
  /** Builds with events that are not announced yet. */
  #pending = new Set<number>();
  #running: Promise<void> | undefined;

  constructor(context: EventAnnouncerContext) {
    this.#context = context;
  }

  /** Call it when the events are committed. */
  announce(buildId: number): void {
    this.#pending.add(buildId);
    this.#running ??= this.#run();
  }

  /** Announces what is left. Call it when no more events are appended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop;
    while (this.#pending.size > 0) {
      const sent = await this.#send();
      if (!sent && signal.aborted) break; // the database is away, and the watchers sweep
      await this.#rest(sent ? REST_MS : REST_AFTER_FAILURE_MS);
    }
    this.#running = undefined;
  }

  async #rest(ms: number): Promise<void> {
    try {
      await this.#context.clock.sleep(ms, this.#stop.signal);
    } catch {
      // This web stops.
    }
  }

  async #send(): Promise<boolean> {
    const ids = [...this.#pending];
    this.#pending = new Set();
    const payloads = [];
    for (let n = 0; n < ids.length; n += IDS_PER_PAYLOAD) payloads.push(ids.slice(n, n + IDS_PER_PAYLOAD).join());
    try {
      await this.#context.pool.query({
        name: 'announce-events',
        text: `SELECT pg_notify('${CHANNELS.buildEvents}', payload) FROM unnest($1::text[]) payload`,
        values: [payloads],
      });
      return true;
    } catch {
      for (const id of ids) this.#pending.add(id);
      return false;
    }
  }
}
