import type { Clock } from '@seaplane/orchestrator';
import { collectionPath, type Namespace } from './api/objects.ts';
import { reflect } from './api/reflector.ts';
import type { ResourceQuota } from './api/wire.ts';
import { parseQuantity } from './pod/quantity.ts';

/** How long quotas are watched after the last refusal. */
const WATCH_MS = 10 * 60_000;

export interface QuotaWatchOptions {
  readonly namespace: Namespace;
  readonly clock: Clock;
  readonly onTrouble: (error: Error) => void;
}

/**
 * Follows the quotas of a namespace from a refusal on, and reports each time that a quota may have room again. The API
 * server counts a pod that has gone a moment after the pod itself has gone, so only the quota says when to ask again.
 */
export class QuotaWatch implements Disposable {
  readonly #options: QuotaWatchOptions;
  readonly #listeners = new Set<() => void>();
  readonly #stop = new AbortController();
  #lastRefusal = 0;
  #watching = false;

  constructor(options: QuotaWatchOptions) {
    this.#options = options;
  }

  /** Calls `listener` whenever there may be room. Returns a function that ends this. */
  onRoom(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Call it when the API server has refused a pod for its quota. */
  refused(): void {
    this.#lastRefusal = this.#options.clock.elapsedMs();
    if (this.#watching) return;
    this.#watching = true;
    void this.#follow().finally(() => {
      this.#watching = false;
    });
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    const { namespace, clock, onTrouble } = this.#options;
    const over = new AbortController();
    const signal = AbortSignal.any([this.#stop.signal, over.signal]);
    void this.#untilIdle(signal).then(() => over.abort());
    const options = { api: namespace.api, clock, path: collectionPath(namespace, 'resourcequotas'), selectors: {} };
    const known = new Map<string, ResourceQuota>();
    for await (const change of reflect<ResourceQuota>({ ...options, what: 'its quotas', onTrouble }, signal)) {
      // Room that came between the refusal and the list is not seen as a change.
      if (change.kind === 'synced') this.#report();
      else {
        const name = change.object.metadata?.name ?? '';
        const before = known.get(name);
        if (change.kind === 'present') known.set(name, change.object);
        else known.delete(name);
        if (before && (change.kind === 'absent' || hasMoreRoom(before, change.object))) this.#report();
      }
    }
  }

  async #untilIdle(signal: AbortSignal): Promise<void> {
    const left = () => this.#lastRefusal + WATCH_MS - this.#options.clock.elapsedMs();
    while (left() > 0 && !signal.aborted) await this.#options.clock.sleep(left(), signal).catch(() => {});
  }

  #report(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Less of something is used, or more of it may be used. */
function hasMoreRoom(before: ResourceQuota, after: ResourceQuota): boolean {
  const room = ({ status }: ResourceQuota, name: string) =>
    (parseQuantity(status?.hard?.[name] ?? '') ?? Number.POSITIVE_INFINITY) -
    (parseQuantity(status?.used?.[name] ?? '0') ?? 0);
  return Object.keys(before.status?.hard ?? {}).some((name) => room(after, name) > room(before, name));
}
