import type { Locks, Notifications } from '@seaplane/db';
import { jobsThatWait, jobsToSchedule, type SchedulerContext, scheduleJob } from '@seaplane/scheduler';
import { Loop } from './loop.ts';

const SWEEP_MS = 10_000;
const AT_ONCE = 8;

export interface JobSchedulerContext extends SchedulerContext {
  readonly locks: Locks;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly onError: (error: unknown) => void;
  readonly onLoopError: (error: unknown, loop: string) => void;
  readonly sweepMs?: number;
}

/**
 * Looks at every job that has a reason to be looked at, as soon as it has one; one web at a time at each, and some at
 * once, so that one that takes long is not in the way of the others.
 *
 * A job is queued when the loop finds it, then busy. What becomes a reason while it is busy is found by the look that
 * follows its end; one that failed keeps its reason for the next sweep.
 */
export class JobScheduler implements AsyncDisposable {
  readonly #context: JobSchedulerContext;
  readonly #sweepMs: number;
  readonly #queue = new Set<number>();
  readonly #busy = new Map<number, Promise<void>>();
  readonly #loop: Loop;
  readonly #subscription: Disposable;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(context: JobSchedulerContext) {
    this.#context = context;
    const { notifications, onLoopError: onError, sweepMs: intervalMs = SWEEP_MS } = context;
    this.#sweepMs = intervalMs;
    this.#loop = new Loop({ name: 'scheduler', intervalMs, onError, look: () => this.#look() });
    this.#subscription = notifications.subscribe('job', () => this.#loop.wake());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
    this.#queue.clear();
    await Promise.all(this.#busy.values());
  }

  async #look(): Promise<undefined> {
    for (const id of await jobsToSchedule(this.#context)) this.#queue.add(id);
    if (performance.now() - this.#sweptAt >= this.#sweepMs) {
      for (const id of await jobsThatWait(this.#context)) this.#queue.add(id);
      this.#sweptAt = performance.now();
    }
    for (const id of this.#busy.keys()) this.#queue.delete(id);
    this.#begin();
    return undefined;
  }

  #begin(): void {
    for (const id of this.#queue) {
      if (this.#busy.size === AT_ONCE) return;
      this.#queue.delete(id);
      this.#busy.set(id, this.#schedule(id));
    }
  }

  async #schedule(jobId: number): Promise<void> {
    const done = await this.#tryToSchedule(jobId).catch((error: unknown) => {
      this.#context.onError(error);
      return false;
    });
    this.#busy.delete(jobId);
    this.#begin();
    if (done) this.#loop.wake();
  }

  async #tryToSchedule(jobId: number): Promise<boolean> {
    await using lock = await this.#context.locks.tryAcquire('job', jobId);
    if (!lock) return false; // whoever has it sees the reason too
    await scheduleJob(this.#context, jobId);
    return true;
  }
}
