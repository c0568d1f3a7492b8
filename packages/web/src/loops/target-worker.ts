import { WORKER_VERSION } from '@seaplane/api';
import { type Notifications, reportWorker, type WorkerState } from '@seaplane/db';
import { type HostHealth, type OpenHost, SandboxWatch, type Worker, type WorkerConfig } from '@seaplane/orchestrator';
import type pg from 'pg';
import { Loop } from './loop.ts';

const HEALTH_INTERVAL_MS = 15_000;
const HEALTH_TIMEOUT_MS = 30_000;
/** Not usable for this long, a worker is stalled. */
const TTL_MS = 60_000;

export interface TargetWorkerContext {
  readonly pool: pg.Pool;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly onError: (error: unknown, what: string) => void;
  readonly onProblems: (worker: string, problems: readonly string[]) => void;
  readonly healthTimeoutMs?: number;
}

/**
 * A worker of this web. Its watch runs for as long as web does. Its health is looked at now and then and
 * reported, so that `fly workers` shows it with what is wrong; in return it learns its state, which somebody may have
 * changed.
 */
export class TargetWorker implements AsyncDisposable {
  readonly host: OpenHost;
  readonly #context: TargetWorkerContext;
  readonly #config: WorkerConfig;
  readonly #watch: SandboxWatch;
  readonly #health: Loop;
  readonly #subscription: Disposable;
  // Until its first health check says otherwise it may be used: nothing is gained by making steps wait for that.
  #state: WorkerState = 'running';
  #problems = '';

  constructor(context: TargetWorkerContext, config: WorkerConfig, host: OpenHost) {
    this.#context = context;
    this.#config = config;
    this.host = host;
    const { notifications, onError } = context;
    this.#watch = new SandboxWatch(host, (error) => onError(error, `watch of ${config.name}`));
    const look = (signal: AbortSignal) => this.#report(signal);
    this.#health = new Loop({ name: `health of ${config.name}`, intervalMs: HEALTH_INTERVAL_MS, onError, look });
    this.#subscription = notifications.subscribe('workers', (name) => {
      if (name === undefined || name === config.name) this.#health.wake();
    });
  }

  /** As steps choose among them. */
  asWorker(): Worker {
    return { ...this.#config, host: this.host, watch: this.#watch, state: this.#state };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#subscription[Symbol.dispose]();
    await this.#health[Symbol.asyncDispose]();
    await this.#watch[Symbol.asyncDispose]();
    this.host[Symbol.dispose]();
  }

  async #report(signal: AbortSignal): Promise<undefined> {
    const { name, platform, tags, team, baseTypes } = this.#config;
    const { usable, problems } = await this.#check(signal);
    const told = problems.join('\n');
    if (told !== this.#problems) this.#context.onProblems(name, problems);
    this.#problems = told;
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
      ttlMs: TTL_MS,
    });
    return undefined;
  }

  /** One that does not answer in time has that as its problem: it is told like any other. */
  async #check(signal: AbortSignal): Promise<HostHealth> {
    const { healthTimeoutMs = HEALTH_TIMEOUT_MS } = this.#context;
    const late = AbortSignal.timeout(healthTimeoutMs);
    try {
      return await this.host.check(AbortSignal.any([signal, late]));
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error;
      return { usable: false, problems: [`it did not answer within ${healthTimeoutMs / 1000} seconds`] };
    }
  }
}
