import { WORKER_VERSION } from '@seaplane/api';
import { reportWorker, type WorkerState } from '@seaplane/db';
import type { KubernetesHost, Target } from '@seaplane/kubernetes';
import { SandboxWatch, type Worker } from '@seaplane/orchestrator';
import type pg from 'pg';
import { Loop } from './loop.ts';

const PLATFORM = 'linux';
const HEALTH_INTERVAL_MS = 15_000;
const HEALTH_TIMEOUT_MS = 30_000;
/** Without a report for this long a worker is stalled. */
const TTL_MS = 60_000;

export interface WorkerPoolContext {
  readonly pool: pg.Pool;
  readonly targets: readonly { readonly target: Target; readonly host: KubernetesHost }[];
  readonly onError: (error: unknown, what: string) => void;
  readonly onProblems: (worker: string, problems: readonly string[]) => void;
}

interface Member {
  readonly target: Target;
  readonly host: KubernetesHost;
  readonly watch: SandboxWatch;
  readonly health: Loop;
  state: WorkerState;
  problems: string;
}

/**
 * The workers of this web: each target is one. Its watch runs for as long as web does; its health is looked at now and
 * then and reported, so that `fly workers` shows it with what is wrong, and steps go only to those that run.
 */
export class WorkerPool implements AsyncDisposable {
  readonly #context: WorkerPoolContext;
  readonly #members: Member[];

  constructor(context: WorkerPoolContext) {
    this.#context = context;
    this.#members = context.targets.map(({ target, host }) => this.#join(target, host));
  }

  /** As steps choose among them. */
  workers(): readonly Worker[] {
    return this.#members.map(({ target, host, watch, state }) => ({
      host,
      watch,
      state,
      platform: PLATFORM,
      tags: target.tags,
      ...(target.team ? { team: target.team } : {}),
      baseTypes: target.images.baseTypes,
    }));
  }

  hosts(): readonly KubernetesHost[] {
    return this.#members.map(({ host }) => host);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#members.map(async ({ host, watch, health }) => {
        await health[Symbol.asyncDispose]();
        await watch[Symbol.asyncDispose]();
        host[Symbol.dispose]();
      }),
    );
  }

  #join(target: Target, host: KubernetesHost): Member {
    const { onError } = this.#context;
    const watch = new SandboxWatch(host, (error) => onError(error, `watch of ${target.name}`));
    const look = (signal: AbortSignal) => this.#report(member, signal);
    const options = { name: `health of ${target.name}`, intervalMs: HEALTH_INTERVAL_MS, onError, look };
    // Until its first health check says otherwise it may be used: nothing is gained by making steps wait for that.
    const member: Member = { target, host, watch, state: 'running', problems: '', health: undefined as never };
    return Object.assign(member, { health: new Loop(options) });
  }

  async #report(member: Member, signal: AbortSignal): Promise<undefined> {
    const { target, host } = member;
    const health = await host.check(AbortSignal.any([signal, AbortSignal.timeout(HEALTH_TIMEOUT_MS)]));
    const problems = health.problems.join('\n');
    if (problems !== member.problems) this.#context.onProblems(target.name, health.problems);
    member.problems = problems;
    member.state = await reportWorker(this.#context.pool, {
      name: target.name,
      platform: PLATFORM,
      tags: target.tags,
      ...(target.team ? { team: target.team } : {}),
      version: WORKER_VERSION,
      baseTypes: Object.entries(target.images.baseTypes).map(([type, { image, privileged }]) => ({
        type,
        image,
        version: image,
        privileged,
        unique_version_history: false,
      })),
      problems: health.problems,
      ttlMs: TTL_MS,
    });
    return undefined;
  }
}
