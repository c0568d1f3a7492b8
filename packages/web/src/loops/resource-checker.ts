import type { Locks, Notifications } from '@seaplane/db';
import { checkResource, dueChecks } from '@seaplane/scheduler';
import type pg from 'pg';
import { Loop } from './loop.ts';

const SWEEP_MS = 10_000;
/** Checks that fall due in close succession are found by one look. */
const REST_MS = 50;

export interface ResourceCheckerContext {
  readonly pool: pg.Pool;
  readonly locks: Locks;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly onError: (error: unknown, loop: string) => void;
  readonly sweepMs?: number;
}

/** Starts a check of each resource when it is due, one web at a time. */
export class ResourceChecker implements AsyncDisposable {
  readonly #context: ResourceCheckerContext;
  readonly #loop: Loop;
  readonly #subscription: Disposable;

  constructor(context: ResourceCheckerContext) {
    this.#context = context;
    const { notifications, onError, sweepMs: intervalMs = SWEEP_MS } = context;
    const look = (signal: AbortSignal) => this.#look(signal);
    this.#loop = new Loop({ name: 'checker', intervalMs, restMs: REST_MS, onError, look });
    this.#subscription = notifications.subscribe('checks', () => this.#loop.wake());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #look(signal: AbortSignal): Promise<number | undefined> {
    const { pool, locks, onError } = this.#context;
    await using lock = await locks.tryAcquire('component', 'checker');
    if (!lock) return undefined;
    const askedAt = performance.now();
    const { due, nextInMs } = await dueChecks(pool);
    for (const resourceId of due) {
      if (signal.aborted) return undefined;
      // What cannot be checked is not in the way of the others.
      await checkResource(pool, resourceId, { manuallyTriggered: false }).catch((error: unknown) =>
        onError(error, `check of resource ${resourceId}`),
      );
    }
    return nextInMs === undefined ? undefined : nextInMs - (performance.now() - askedAt);
  }
}
