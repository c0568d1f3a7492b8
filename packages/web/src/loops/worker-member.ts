import { WORKER_VERSION } from '@seaplane/api';
import { reportWorker, type WorkerState } from '@seaplane/db';
import type { Clock } from '@seaplane/engine';
import {
  type HostHealth,
  type OpenHost,
  RoomQueue,
  SandboxWatch,
  type StepWorker,
  type WorkerConfig,
} from '@seaplane/orchestrator';
import type pg from 'pg';
import type { Component } from './component.ts';

const INTERVAL_MS = 15_000;
const HEALTH_TIMEOUT_MS = 30_000;
/** A worker that was not usable for this long is stalled. */
const TTL_MS = 60_000;

export interface WorkerMemberContext {
  readonly pool: pg.Pool;
  readonly clock: Clock;
  readonly onError: (error: unknown, what: string) => void;
  readonly onProblems: (worker: string, problems: readonly string[]) => void;
  readonly healthTimeoutMs?: number;
  readonly intervalMs?: number;
}

/**
 * A worker of this web. Its watch runs for as long as web does. Its heartbeat checks the host and reports the result, which
 * `fly workers` shows, and learns the state of the worker, which a user may have changed.
 *
 * The first report from a usable host registers the worker: if it had landed or was retired, it runs again. Later reports
 * are heartbeats, and leave a worker landed or retired.
 */
export class WorkerMember implements AsyncDisposable {
  readonly host: OpenHost;
  readonly heartbeat: Component;
  readonly #context: WorkerMemberContext;
  readonly #config: WorkerConfig;
  readonly #watch: SandboxWatch;
  readonly #room: RoomQueue;
  // Usable until its first report says otherwise: steps need not wait for that.
  #state: WorkerState = 'running';
  #registered = false;
  /** Undefined before the first report. */
  #problems: string | undefined;

  constructor(context: WorkerMemberContext, config: WorkerConfig, host: OpenHost) {
    this.#context = context;
    this.#config = config;
    this.host = host;
    this.#watch = new SandboxWatch(host, (error) => context.onError(error, `watch of ${config.name}`));
    this.#room = new RoomQueue(this.#watch, context.clock);
    this.heartbeat = {
      name: 'heartbeat',
      instance: config.name,
      channels: ['workers'],
      lock: 'none',
      listed: false, // a pause would stall the worker, and hide from this web that it is to land
      intervalMs: context.intervalMs ?? INTERVAL_MS,
      look: (signal) => this.#report(signal),
    };
  }

  /** The worker as steps choose it. */
  asWorker(): StepWorker {
    return { ...this.#config, host: this.host, watch: this.#watch, room: this.#room, state: this.#state };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watch[Symbol.asyncDispose]();
    this.host[Symbol.dispose]();
  }

  async #report(signal: AbortSignal): Promise<undefined> {
    const { name, platform, tags, team, baseTypes } = this.#config;
    const { usable, problems } = await this.#check(signal);
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
      usable,
      registers: !this.#registered,
      ttlMs: TTL_MS,
    });
    this.#registered ||= usable;
    return undefined;
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
      return await this.host.check(AbortSignal.any([signal, late.signal]));
    } catch (error) {
      if (signal.aborted || !late.signal.aborted) throw error;
      return { usable: false, problems: [`it did not answer within ${healthTimeoutMs / 1000} seconds`] };
    } finally {
      answered.abort();
    }
  }
}
