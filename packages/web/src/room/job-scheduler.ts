import type { Locks, Notifications } from '@seaplane/db';
import { jobsThatWait, jobsToSchedule, type SchedulerContext, scheduleJob } from '@seaplane/scheduler';
import { Loop } from './loop.ts';

const SWEEP_MS = 10_000;
const AT_ONCE = 8;

export interface JobSchedulerContext extends SchedulerContext {
  readonly locks: Locks;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly onLoopError: (error: unknown, loop: string) => void;
  readonly sweepMs?: number;
}

/** Looks at every job that has a reason to be looked at, as soon as it has one; one web at a time at each. */
export class JobScheduler implements AsyncDisposable {
  readonly #context: JobSchedulerContext;
  readonly #sweepMs: number;
  readonly #loop: Loop;
  readonly #subscription: Disposable;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(context: JobSchedulerContext) {
    this.#context = context;
    const { notifications, onLoopError: onError, sweepMs: intervalMs = SWEEP_MS } = context;
    this.#sweepMs = intervalMs;
    this.#loop = new Loop({ name: 'scheduler', intervalMs, onError, look: (signal) => this.#look(signal) });
    this.#subscription = notifications.subscribe('job', () => this.#loop.wake());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #look(signal: AbortSignal): Promise<undefined> {
    const jobs = new Set(await jobsToSchedule(this.#context));
    if (performance.now() - this.#sweptAt >= this.#sweepMs) {
      for (const id of await jobsThatWait(this.#context)) jobs.add(id);
      this.#sweptAt = performance.now();
    }
    // They share one iterator: each takes the next job. All have ended when this has, also after a failure.
    const next = jobs.values();
    const worker = async () => {
      for (const id of next) {
        signal.throwIfAborted();
        await this.#schedule(id);
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    return undefined;
  }

  /** A job that fails to be scheduled keeps its reason, and is not in the way of the others. */
  async #schedule(jobId: number): Promise<void> {
    const { locks, onError } = this.#context;
    await using lock = await locks.tryAcquire('job', jobId);
    if (!lock) return; // whoever has it sees the reason too
    await scheduleJob(this.#context, jobId).catch((error: unknown) => onError(error));
  }
}
