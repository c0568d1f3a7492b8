import { WORKER_VERSION } from '@seaplane/api';
import {
  deleteLandedWorker,
  forgetBelongings,
  landWorker,
  readWorkerStates,
  reportWorker,
  type WorkerState,
} from '@seaplane/db';
import type { Clock } from '@seaplane/engine';
import { type HostHealth, RoomQueue, SandboxWatch, type StepWorker } from '@seaplane/orchestrator';
import type pg from 'pg';
import type { OpenWorker } from '../boot/open-workers.ts';
import type { Component } from './component.ts';

const INTERVAL_MS = 15_000;
const HEALTH_TIMEOUT_MS = 30_000;
/** A worker that was not usable for this long is stalled. */
const TTL_MS = 60_000;
/** Pods take a moment to end. */
const CLEAR_AGAIN_MS = 1_000;

export interface WorkerMemberContext {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly onError: (error: unknown, what: string) => void;
  readonly onProblems: (worker: string, problems: readonly string[]) => void;
  /** Everything that was made on a retired worker's host has been removed. */
  readonly onCleared: (worker: string) => void;
  readonly healthTimeoutMs?: number;
  readonly intervalMs?: number;
}

/**
 * A worker of this web. Its watch runs for as long as the worker is not retired. Its heartbeat checks the host and reports the
 * result, which `fly workers` shows, and learns the state of the worker, which a user may have changed.
 *
 * Retired: the watch has ended, so that nothing is made again, and the heartbeat removes everything from the host. The member
 * stays like this until it is replaced, because the worker's configuration has changed.
 *
 * Removed from the targets file: the worker is landed and not reported any more; steps that run on it end as they would.
 * When it has landed, the member has gone.
 */
export class WorkerMember implements AsyncDisposable {
  readonly worker: OpenWorker;
  readonly heartbeat: Component;
  readonly #context: WorkerMemberContext;
  /** Undefined when the worker is retired. */
  #watched: { readonly watch: SandboxWatch; readonly room: RoomQueue } | undefined;
  #state: WorkerState;
  #removed = false;
  #gone = false;
  #cleared = false;
  /** The mistake in the worker's entry, or in the whole targets file. */
  #mistake: string | undefined;
  /** Undefined before the first report. */
  #problems: string | undefined;

  /** A worker without a state on record is usable until its first report says otherwise: steps need not wait for that. */
  constructor(context: WorkerMemberContext, worker: OpenWorker, state: WorkerState = 'running') {
    this.#context = context;
    this.worker = worker;
    this.#state = state;
    if (state !== 'retired') {
      const watch = new SandboxWatch(worker.host, (error) => context.onError(error, `watch of ${this.name}`));
      this.#watched = { watch, room: new RoomQueue(watch, context.clock) };
    }
    this.heartbeat = {
      name: 'heartbeat',
      instance: this.name,
      channels: ['workers'],
      lock: 'none',
      listed: false, // a pause would stall the worker, and hide from this web that it is to land
      intervalMs: context.intervalMs ?? INTERVAL_MS,
      look: (signal) => this.#look(signal),
    };
  }

  get name(): string {
    return this.worker.config.name;
  }

  /** The worker was removed from the targets file, and nothing runs on it any more. */
  get hasGone(): boolean {
    return this.#gone;
  }

  /** Whether a step uses this member. */
  get inUse(): boolean {
    return this.#watched?.watch.inUse ?? false;
  }

  get isRemoved(): boolean {
    return this.#removed;
  }

  /** The worker as steps choose it. Undefined when it is retired. */
  asWorker(): StepWorker | undefined {
    const state = this.#removed && this.#state === 'running' ? 'landing' : this.#state;
    return this.#watched && { ...this.worker.config, host: this.worker.host, ...this.#watched, state };
  }

  /** The targets file lists the worker, or does not any more. Call it before the heartbeat's next look. */
  setListed(listed: boolean, mistake?: string): void {
    this.#removed = !listed;
    this.#mistake = mistake;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watched?.watch[Symbol.asyncDispose]();
    this.worker.host[Symbol.dispose]();
  }

  #look(signal: AbortSignal): Promise<number | undefined> {
    if (this.#state === 'retired') return this.#leave(signal);
    return this.#removed ? this.#land() : this.#report(signal);
  }

  async #report(signal: AbortSignal): Promise<number | undefined> {
    const { name, platform, tags, team, baseTypes } = this.worker.config;
    const { usable, problems: found, way } = await this.#check(signal);
    const problems = this.#mistake === undefined ? found : [this.#mistake, ...found];
    const joined = problems.join('\n');
    if (joined !== this.#problems) this.#context.onProblems(name, problems);
    this.#problems = joined;
    this.#state = await reportWorker(this.#context.pool, {
      name,
      platform,
      tags,
      ...(team ? { team } : {}),
      version: WORKER_VERSION,
      baseTypes: Object.entries(baseTypes).map(([type, { image, privileged }]) => ({
        type,
        image,
        version: image,
        privileged,
        unique_version_history: false,
      })),
      problems,
      ...(way ? { way } : {}),
      usable,
      entry: this.worker.entry,
      ttlMs: TTL_MS,
    });
    return this.#state === 'retired' ? this.#leave(signal) : undefined;
  }

  /** Removes everything from the host, unless another web has brought the worker back with another configuration. */
  async #leave(signal: AbortSignal): Promise<number | undefined> {
    const { pool, onCleared } = this.#context;
    if (this.#cleared || (await this.#stateOnRecord()) !== 'retired') return undefined;
    const watched = this.#watched;
    this.#watched = undefined;
    await watched?.watch.abandon();
    if (!(await this.worker.host.clear(signal))) return CLEAR_AGAIN_MS;
    await forgetBelongings(pool, this.name);
    this.#cleared = true;
    onCleared(this.name);
    return undefined;
  }

  /** Another web may land the worker, and forget it, at the same time. */
  async #land(): Promise<undefined> {
    const { pool } = this.#context;
    const state = await this.#stateOnRecord();
    if (state === 'running' || state === 'stalled') await landWorker(pool, this.name);
    if (state === 'landed') await deleteLandedWorker(pool, this.name);
    this.#gone = state === undefined || state === 'landed' || state === 'retired';
    return undefined;
  }

  async #stateOnRecord(): Promise<WorkerState | undefined> {
    return (await readWorkerStates(this.#context.pool)).get(this.name)?.state;
  }

  /** A host that does not answer in time is not usable, and that is its problem. */
  async #check(signal: AbortSignal): Promise<HostHealth> {
    const { clock, healthTimeoutMs = HEALTH_TIMEOUT_MS } = this.#context;
    const [late, answered] = [new AbortController(), new AbortController()];
    void clock.sleep(healthTimeoutMs, answered.signal).then(
      () => late.abort(),
      () => {},
    );
    try {
      return await this.worker.host.check(AbortSignal.any([signal, late.signal]));
    } catch (error) {
      if (signal.aborted || !late.signal.aborted) throw error;
      return { usable: false, problems: [`it did not answer within ${healthTimeoutMs / 1000} seconds`] };
    } finally {
      answered.abort();
    }
  }
}
