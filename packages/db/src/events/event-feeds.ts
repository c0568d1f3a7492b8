import type pg from 'pg';
import type { Notifications } from '../notifications/notifications.ts';
import { type EventPage, readEvents, type StoredEvent } from './read-events.ts';

export interface WatchDependencies {
  readonly pool: pg.Pool;
  readonly notifications: Pick<Notifications, 'subscribe'>;
}

/** In case a notification is lost. */
const SWEEP_MS = 5_000;

/** Events of one build, oldest first. Watchers that get the same events get the same array. */
export type Events = readonly StoredEvent[];

/**
 * The watched builds of a web. Watchers of one build that want the same events share one read of the database, so a
 * thousand of them cost as much as one. A watcher that falls behind reads pages of its own: it holds one page in memory,
 * and does not delay the others.
 */
export class EventFeeds {
  readonly #dependencies: WatchDependencies;
  readonly #sweepMs: number;
  readonly #feeds = new Map<number, Feed>();

  constructor(dependencies: WatchDependencies, sweepMs: number = SWEEP_MS) {
    this.#dependencies = dependencies;
    this.#sweepMs = sweepMs;
  }

  /**
   * Yields a build's events from a number on, a page at a time, as they are committed. Returns after the last event of an
   * ended build. Rejects with the signal's reason.
   */
  async *watch(buildId: number, from: number, signal: AbortSignal): AsyncGenerator<Events, void, undefined> {
    using joined = this.#join(buildId);
    const { feed } = joined;
    for (let next = from; ; ) {
      signal.throwIfAborted();
      const { version } = feed;
      const { events, ended, complete } = await feed.read(next);
      const last = events.at(-1);
      if (last) {
        yield events;
        next = last.id + 1;
      }
      if (ended) return;
      if (complete) await feed.changedSince(version, signal);
    }
  }

  #join(buildId: number): { readonly feed: Feed } & Disposable {
    const feed = this.#feeds.get(buildId) ?? new Feed(this.#dependencies, buildId, this.#sweepMs);
    this.#feeds.set(buildId, feed);
    feed.watchers++;
    return {
      feed,
      [Symbol.dispose]: () => {
        if (--feed.watchers > 0) return;
        this.#feeds.delete(buildId);
        feed[Symbol.dispose]();
      },
    };
  }
}

/** A build that is watched. */
class Feed implements Disposable {
  watchers = 0;
  /** Grows when the build may have new events. */
  version = 0;
  readonly #read: (from: number) => Promise<EventPage>;
  readonly #subscription: Disposable;
  readonly #sweep: NodeJS.Timeout;
  readonly #waiting = new Set<() => void>();
  /** Reads that began after the last change: those under way, and the one that ended last. By the number they begin with. */
  readonly #pages = new Map<number, Promise<EventPage>>();
  #settled: number | undefined;

  constructor({ pool, notifications }: WatchDependencies, buildId: number, sweepMs: number) {
    this.#read = (from) => readEvents(pool, buildId, from);
    const own = String(buildId);
    this.#subscription = notifications.subscribe('buildEvents', (payload) => {
      if (payload === undefined || payload.split(',').includes(own)) this.#change();
    });
    this.#sweep = setInterval(() => this.#change(), sweepMs);
  }

  /** Reads a page, or joins a read that cannot have missed anything that was notified. */
  read(from: number): Promise<EventPage> {
    const known = this.#pages.get(from);
    if (known) return known;
    const page = this.#read(from);
    this.#pages.set(from, page);
    const settle = (keep: boolean) => {
      if (this.#pages.get(from) !== page) return;
      if (this.#settled !== undefined && this.#settled !== from) this.#pages.delete(this.#settled);
      if (!keep) this.#pages.delete(from);
      this.#settled = keep ? from : undefined;
    };
    page.then(
      () => settle(true),
      () => settle(false),
    );
    return page;
  }

  async changedSince(version: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.version !== version) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.add(resolve);
    try {
      await promise;
    } finally {
      this.#waiting.delete(resolve);
      signal.removeEventListener('abort', onAbort);
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#sweep);
    this.#subscription[Symbol.dispose]();
  }

  #change(): void {
    this.version++;
    this.#pages.clear();
    this.#settled = undefined;
    for (const wake of this.#waiting) wake();
  }
}
