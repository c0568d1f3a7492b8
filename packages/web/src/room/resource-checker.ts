import type { Locks, Notifications } from '@seaplane/db';
import { checkResource, dueResources, millisecondsToNextCheck } from '@seaplane/scheduler';
import type pg from 'pg';
import { Loop } from './loop.ts';

const SWEEP_MS = 10_000;

export interface ResourceCheckerContext {
  readonly pool: pg.Pool;
  readonly locks: Locks;
  readonly notifications: Notifications;
  readonly onError: (error: unknown, loop: string) => void;
}

/** Starts a check of each resource when it is due, one web at a time. */
export class ResourceChecker implements AsyncDisposable {
  readonly #context: ResourceCheckerContext;
  readonly #loop: Loop;
  readonly #subscription: Disposable;

  constructor(context: ResourceCheckerContext) {
    this.#context = context;
    const { notifications, onError } = context;
    this.#loop = new Loop({ name: 'checker', intervalMs: SWEEP_MS, onError, look: () => this.#look() });
    this.#subscription = notifications.subscribe('checks', () => this.#loop.wake());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #look(): Promise<number | undefined> {
    const { pool, locks, onError } = this.#context;
    await using lock = await locks.tryAcquire('component', 'checker');
    if (!lock) return undefined;
    for (const resourceId of await dueResources(pool)) {
      // What cannot be checked is not in the way of the others.
      await checkResource(pool, resourceId, { manuallyTriggered: false }).catch((error: unknown) =>
        onError(error, `check of resource ${resourceId}`),
      );
    }
    return millisecondsToNextCheck(pool);
  }
}
