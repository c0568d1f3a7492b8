import {
  type BuildJournal,
  createJournal,
  isAborted,
  type Locks,
  listStartedBuilds,
  type Notifications,
  type TrackedBuild,
  trackBuild,
} from '@seaplane/db';
import { type BuildInfo, Drained, type EngineSeams, runBuild } from '@seaplane/engine';
import type pg from 'pg';
import { Loop } from './loop.ts';

const SWEEP_MS = 10_000;

export interface BuildTrackerContext {
  readonly pool: pg.Pool;
  readonly locks: Locks;
  readonly notifications: Notifications;
  readonly externalUrl: string;
  /** Everything the engine needs for one build but its journal. */
  readonly seamsFor: (build: BuildInfo, journal: BuildJournal) => EngineSeams;
  readonly onError: (error: unknown, what: string) => void;
}

interface Running {
  readonly abort: AbortController;
  readonly drain: AbortController;
  readonly done: Promise<void>;
}

/**
 * Runs every started build that no other web runs. A build is taken by its lock, walked by the engine, and ended through
 * its journal. When this web stops, builds are let go of as they are; whoever takes them next goes on.
 */
export class BuildTracker implements AsyncDisposable {
  readonly #context: BuildTrackerContext;
  readonly #running = new Map<number, Running>();
  readonly #loop: Loop;
  readonly #subscriptions: Disposable[];

  constructor(context: BuildTrackerContext) {
    this.#context = context;
    const { notifications, onError } = context;
    this.#loop = new Loop({ name: 'build tracker', intervalMs: SWEEP_MS, onError, look: () => this.#takeStarted() });
    this.#subscriptions = [
      notifications.subscribe('buildStarted', () => this.#loop.wake()),
      notifications.subscribe('buildAborted', (id) => void this.#abort(id).catch((error) => onError(error, 'abort'))),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
    for (const { drain } of this.#running.values()) drain.abort(new Drained());
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #takeStarted(): Promise<undefined> {
    const { pool, locks } = this.#context;
    for (const id of await listStartedBuilds(pool)) {
      if (this.#running.has(id)) continue;
      const tracked = await trackBuild(pool, locks, id);
      if (tracked) this.#start(id, tracked);
    }
    return undefined;
  }

  #start(id: number, tracked: TrackedBuild): void {
    const abort = new AbortController();
    const drain = new AbortController();
    const done = this.#run(tracked, abort, drain)
      .catch((error: unknown) => {
        if (!(error instanceof Drained)) this.#context.onError(error, `build ${id}`);
      })
      .finally(async () => {
        this.#running.delete(id);
        await tracked[Symbol.asyncDispose]();
      });
    this.#running.set(id, { abort, drain, done });
  }

  async #run(tracked: TrackedBuild, abort: AbortController, drain: AbortController): Promise<void> {
    const { pool, seamsFor, externalUrl } = this.#context;
    const { build, plan, lost } = tracked;
    if (await isAborted(pool, build.id)) abort.abort();
    const info = buildInfo(build, externalUrl);
    const journal = createJournal(pool, build.id);
    const signals = { abort: abort.signal, drain: AbortSignal.any([drain.signal, lost]) };
    const { status } = await runBuild(seamsFor(info, journal), info, plan, signals);
    await journal.finish(status);
  }

  async #abort(payload: string | undefined): Promise<void> {
    const { pool } = this.#context;
    const concerned = payload === undefined ? [...this.#running.keys()] : [Number(payload)];
    for (const id of concerned) {
      const running = this.#running.get(id);
      if (running && (payload !== undefined || (await isAborted(pool, id)))) running.abort.abort();
    }
  }
}

function buildInfo(build: TrackedBuild['build'], externalUrl: string): BuildInfo {
  const { id, name, teamId, teamName, jobId, jobName, pipelineId, pipelineName, pipelineInstanceVars, createdBy } =
    build;
  return {
    id,
    name,
    teamId,
    teamName,
    externalUrl,
    ...(jobId === undefined ? {} : { jobId }),
    ...(jobName === undefined ? {} : { jobName }),
    ...(pipelineId === undefined ? {} : { pipelineId }),
    ...(pipelineName === undefined ? {} : { pipelineName }),
    ...(pipelineInstanceVars === undefined ? {} : { pipelineInstanceVars }),
    ...(createdBy === undefined ? {} : { createdBy }),
  };
}
