import {
  type BuildJournal,
  createJournal,
  DbError,
  type Locks,
  listStartedBuilds,
  type Notifications,
  type TrackedBuild,
  trackBuild,
} from '@seaplane/db';
import { type BuildInfo, type BuildSignals, Drained, type EngineSeams, walkBuild } from '@seaplane/engine';
import type pg from 'pg';
import { watchDatabase } from '../adapters/database-watch.ts';
import { Loop } from './loop.ts';

const SWEEP_MS = 10_000;
/** Nobody tells when a web dies: builds that others run are looked after this often. */
const TAKEOVER_MS = 2_000;
/** A build that this web had to let go of is taken again after this. */
const RETRY_MS = 1_000;

export interface BuildTrackerContext {
  readonly pool: pg.Pool;
  readonly locks: Locks;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly externalUrl: string;
  /** Everything the engine needs for one build but its journal. */
  readonly seamsFor: (build: BuildInfo, journal: BuildJournal) => EngineSeams;
  readonly onError: (error: unknown, what: string) => void;
  readonly sweepMs?: number;
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
    const { notifications, onError, sweepMs = SWEEP_MS } = context;
    const look = (signal: AbortSignal) => this.#look(signal);
    this.#loop = new Loop({ name: 'build tracker', intervalMs: sweepMs, onError, look });
    this.#subscriptions = (['buildStarted', 'buildAborted'] as const).map((channel) =>
      notifications.subscribe(channel, () => this.#loop.wake()),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    await this.#loop[Symbol.asyncDispose]();
    for (const { drain } of this.#running.values()) drain.abort(new Drained());
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #look(signal: AbortSignal): Promise<number | undefined> {
    const { pool, locks } = this.#context;
    const started = await listStartedBuilds(pool);
    this.#stopUnwanted(new Map(started.map(({ id, aborted }) => [id, aborted])));
    for (const { id, held } of started) {
      if (signal.aborted) return undefined;
      if (held || this.#running.has(id)) continue;
      const tracked = await trackBuild(pool, locks, id);
      if (tracked) this.#start(id, tracked);
    }
    return started.every(({ id }) => this.#running.has(id)) ? undefined : TAKEOVER_MS;
  }

  /** Ends what somebody wants aborted. What has gone with its pipeline is let go of: there is nothing to end it in. */
  #stopUnwanted(aborted: ReadonlyMap<number, boolean>): void {
    for (const [id, running] of this.#running) {
      if (aborted.get(id)) running.abort.abort();
      if (!aborted.has(id)) running.drain.abort(new Drained('the build has ended or was deleted'));
    }
  }

  #start(id: number, tracked: TrackedBuild): void {
    const abort = new AbortController();
    const drain = new AbortController();
    if (tracked.build.aborted) abort.abort();
    const done = this.#runAndRelease(tracked, abort.signal, drain.signal);
    this.#running.set(id, { abort, drain, done });
  }

  async #runAndRelease(tracked: TrackedBuild, abort: AbortSignal, drain: AbortSignal): Promise<void> {
    const { id } = tracked.build;
    const trouble = new AbortController();
    const troubled = AbortSignal.any([trouble.signal, tracked.lost]);
    try {
      await this.#run(tracked, { abort, drain: AbortSignal.any([drain, troubled]) }, (error) => trouble.abort(error));
    } catch (error) {
      if (!drain.aborted && !isOver(error)) {
        this.#context.onError(troubled.aborted ? troubled.reason : error, `build ${id}`);
        setTimeout(() => this.#loop.wake(), RETRY_MS).unref();
      }
    } finally {
      this.#running.delete(id);
      await tracked[Symbol.asyncDispose]();
    }
  }

  async #run({ build, plan }: TrackedBuild, signals: BuildSignals, onLost: (error: Error) => void): Promise<void> {
    const { pool, seamsFor, externalUrl } = this.#context;
    const info = buildInfo(build, externalUrl);
    const journal = createJournal(pool, build.id);
    const seams = watchDatabase(seamsFor(info, journal), onLost);
    const { status } = await walkBuild(seams, info, plan, signals);
    await journal.finish(status);
  }
}

/** Whether the journal refused to go on because the build has ended or was deleted. */
function isOver(error: unknown): boolean {
  const cause = error instanceof Drained ? error.cause : error;
  return cause instanceof DbError && (cause.code === 'build-ended' || cause.code === 'not-found');
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
