import type { Locks, Notifications } from '@seaplane/db';
import { jobsThatWait, jobsToSchedule, type SchedulerContext, scheduleJob } from '@seaplane/scheduler';
import { Loop } from './loop.ts';

const SWEEP_MS = 10_000;
const AT_ONCE = 8;

export interface JobSchedulerContext extends SchedulerContext {
  readonly locks: Locks;
  readonly notifications: Notifications;
  readonly onLoopError: (error: unknown, loop: string) => void;
}

/** Looks at every job that has a reason to be looked at, as soon as it has one; one web at a time at each. */
export class JobScheduler implements AsyncDisposable {
  readonly #context: JobSchedulerContext;
  readonly #loop: Loop;
  readonly #subscription: Disposable;
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(context: JobSchedulerContext) {
    this.#context = context;
    const { notifications, onLoopError: onError } = context;
    this.#loop = new Loop({ name: 'scheduler', intervalMs: SWEEP_MS, onError, look: (signal) => this.#look(signal) });
    this.#subscription = notifications.subscribe('job', () => this.#loop.wake());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
  }

  async #look(signal: AbortSignal): Promise<undefined> {
    const waiting = await jobsToSchedule(this.#context);
    if (performance.now() - this.#sweptAt >= SWEEP_MS) {
      this.#sweptAt = performance.now();
      waiting.push(...(await jobsThatWait(this.#context)).filter((id) => !waiting.includes(id)));
    }
    const worker = async () => {
      for (let id = waiting.shift(); id !== undefined && !signal.aborted; id = waiting.shift())
        await this.#schedule(id);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
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
