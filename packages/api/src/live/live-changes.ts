import { setTimeout as sleep } from 'node:timers/promises';
import { readAudiences, type WatchDependencies } from '@seaplane/db';
import type { LiveAnswer } from '../answers/live.ts';
import type { Requester } from '../auth/requester.ts';
import { LiveWatcher, type OtherChange } from './live-watcher.ts';

export interface LiveTimes {
  /** The least time between two rounds. The first change after a rest is passed on at once. */
  readonly restMs: number;
  /** How often a connection without changes gets a sign of life, so that a proxy does not cut it. */
  readonly beatMs: number;
  /** How long a connection lasts. The page connects again, and is asked again for its rights. */
  readonly longestMs: number;
}

const TIMES: LiveTimes = { restMs: 100, beatMs: 20_000, longestMs: 15 * 60_000 };

export interface LiveDependencies extends WatchDependencies {
  readonly clock: { readonly elapsedMs: () => number };
}

/**
 * The changes that pages show, for all open pages of a web. One listener reads the notifications while at least one page
 * is open. Notifications that come close together are one round, and each round asks the database once who may see its
 * pipelines, however many pages are open.
 */
export class LiveChanges {
  readonly #dependencies: LiveDependencies;
  readonly #times: LiveTimes;
  readonly #watchers = new Set<LiveWatcher>();
  #subscriptions: readonly Disposable[] = [];
  #pipelines = new Set<number>();
  #round: Promise<void> | undefined;

  constructor(dependencies: LiveDependencies, times: LiveTimes = TIMES) {
    this.#dependencies = dependencies;
    this.#times = times;
  }

  /**
   * Yields the changes that the requester may know of; `all` comes first. Yields undefined as a sign of life. Returns when
   * the signal is aborted, or when the connection has lasted long enough.
   */
  async *watch(requester: Requester, signal: AbortSignal): AsyncGenerator<LiveAnswer | undefined, void, undefined> {
    const { clock } = this.#dependencies;
    const { beatMs, longestMs } = this.#times;
    const end = clock.elapsedMs() + longestMs;
    using joined = this.#join(new LiveWatcher(requester));
    while (!signal.aborted) {
      yield joined.watcher.take();
      const left = end - clock.elapsedMs();
      if (left <= 0) return;
      await joined.watcher.wait(Math.min(beatMs, left), signal);
    }
  }

  #join(watcher: LiveWatcher): { readonly watcher: LiveWatcher } & Disposable {
    this.#watchers.add(watcher);
    if (this.#watchers.size === 1) this.#subscribe();
    return {
      watcher,
      [Symbol.dispose]: () => {
        this.#watchers.delete(watcher);
        if (this.#watchers.size > 0) return;
        for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
        this.#subscriptions = [];
        this.#pipelines.clear();
      },
    };
  }

  #subscribe(): void {
    const { notifications } = this.#dependencies;
    this.#subscriptions = [
      notifications.subscribe('changes', (payload) => this.#take(payload ?? 'all')),
      notifications.subscribe('workers', (payload) => this.#take(payload === undefined ? 'all' : 'workers')),
    ];
  }

  #take(change: string): void {
    if (change.startsWith('pipeline:')) {
      this.#pipelines.add(Number(change.slice('pipeline:'.length)));
      this.#round ??= this.#run();
    } else for (const watcher of this.#watchers) watcher.add(change as OtherChange);
  }

  async #run(): Promise<void> {
    while (this.#pipelines.size > 0) {
      const ids = [...this.#pipelines];
      this.#pipelines.clear();
      await this.#passOn(ids);
      await sleep(this.#times.restMs, undefined, { ref: false });
    }
    this.#round = undefined;
  }

  async #passOn(ids: readonly number[]): Promise<void> {
    try {
      const audiences = await readAudiences(this.#dependencies.pool, ids);
      for (const watcher of this.#watchers) watcher.addPipelines(audiences);
    } catch {
      // The database is away. Pages that read everything find out by themselves.
      for (const watcher of this.#watchers) watcher.add('all');
    }
  }
}
