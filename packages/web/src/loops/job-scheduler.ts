import type { Locks } from '@seaplane/db';
import { jobsThatWait, jobsToSchedule, type SchedulerContext, scheduleJob } from '@seaplane/scheduler';
import type { Component } from './component.ts';

const INTERVAL_MS = 10_000;
const JOBS_AT_ONCE = 8;

export interface JobSchedulerContext extends SchedulerContext {
  readonly locks: Pick<Locks, 'tryAcquire'>;
  readonly onError: (error: unknown, what: string) => void;
  readonly intervalMs?: number;
}

/**
 * Schedules every job that has a reason to be scheduled. Webs share the jobs by one lock a job. Several jobs are
 * scheduled at once, so that a slow one does not delay the others.
 *
 * A look queues the jobs that it finds; a job leaves the queue when its scheduling begins, and is busy until that ends. A
 * reason that a busy job gets is found by the look after its end. A job whose scheduling fails keeps its reason for the
 * next look.
 */
export class JobScheduler implements AsyncDisposable {
  readonly component: Component;
  readonly #context: JobSchedulerContext;
  readonly #queue = new Set<number>();
  readonly #busy = new Map<number, Promise<void>>();
  #sweptAt = Number.NEGATIVE_INFINITY;

  constructor(context: JobSchedulerContext) {
    this.#context = context;
    this.component = {
      name: 'scheduler',
      channels: ['job'],
      lock: 'none',
      intervalMs: context.intervalMs ?? INTERVAL_MS,
      look: (_signal, wake) => this.#look(wake),
      lookPaused: async () => this.#forgetQueue(),
    };
  }

  /** Waits for the jobs that are being scheduled. Call it when the loop has stopped. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#queue.clear();
    await Promise.all(this.#busy.values());
  }

  async #look(wake: () => void): Promise<undefined> {
    for (const id of await jobsToSchedule(this.#context)) this.#queue.add(id);
    const now = this.#context.clock.elapsedMs();
    const sinceSweep = now - this.#sweptAt;
    if (sinceSweep >= this.component.intervalMs) {
      for (const id of await jobsThatWait(this.#context)) this.#queue.add(id);
      this.#sweptAt = now;
    }
    for (const id of this.#busy.keys()) this.#queue.delete(id);
    this.#begin(wake);
    return undefined;
  }

  /** The first look after the pause finds every job again. */
  #forgetQueue(): undefined {
    this.#queue.clear();
    this.#sweptAt = Number.NEGATIVE_INFINITY;
  }

  #begin(wake: () => void): void {
    for (const id of this.#queue) {
      if (this.#busy.size === JOBS_AT_ONCE) return;
      this.#queue.delete(id);
      this.#busy.set(id, this.#schedule(id, wake));
    }
  }

  async #schedule(jobId: number, wake: () => void): Promise<void> {
    const done = await this.#tryToSchedule(jobId).catch((error: unknown) => {
      this.#context.onError(error, 'scheduling a job');
      return false;
    });
    this.#busy.delete(jobId);
    this.#begin(wake);
    if (done) wake();
  }

  async #tryToSchedule(jobId: number): Promise<boolean> {
    await using lock = await this.#context.locks.tryAcquire('job', jobId);
    if (!lock) return false; // the web that holds the lock sees the reason too
    await scheduleJob(this.#context, jobId);
    return true;
  }
}
