import {
  type BuildJournal,
  createJournal,
  DbError,
  type Locks,
  listStartedBuilds,
  type StartedBuild,
  type TrackedBuild,
  trackBuild,
} from '@seaplane/db';
import { type BuildInfo, type BuildSignals, type Clock, Drained, type EngineSeams, walkBuild } from '@seaplane/engine';
import type pg from 'pg';
import { watchDatabase } from '../adapters/database-watch.ts';
import type { Component } from './component.ts';

const INTERVAL_MS = 10_000;
/** No notification tells when a web dies: builds that other webs run are looked at this often. */
const TAKEOVER_MS = 2_000;
/** The wait before this web takes a build again that it had to let go of. */
const RETRY_MS = 1_000;

export interface BuildTrackerContext {
  readonly pool: pg.Pool;
  readonly locks: Pick<Locks, 'tryAcquire'>;
  readonly clock: Clock;
  readonly externalUrl: string;
  /** The engine's seams for one build. The journal given is one of them. */
  readonly seamsFor: (build: BuildInfo, journal: BuildJournal) => EngineSeams;
  readonly onError: (error: unknown, what: string) => void;
  readonly intervalMs?: number;
}

interface Running {
  readonly abort: AbortController;
  readonly drain: AbortController;
  readonly done: Promise<void>;
}

/**
 * Runs every started build that no other web runs. The tracker takes a build by its lock, the engine walks its plan, and
 * the journal records its end. When this web stops, it lets go of its builds as they are, and another web resumes them.
 *
 * While the component is paused, this web takes no more builds. Builds that run go on, and can be aborted.
 */
export class BuildTracker implements AsyncDisposable {
  readonly component: Component;
  readonly #context: BuildTrackerContext;
  readonly #running = new Map<number, Running>();
  readonly #stop = new AbortController();

  constructor(context: BuildTrackerContext) {
    this.#context = context;
    this.component = {
      name: 'tracker',
      channels: ['buildStarted', 'buildAborted'],
      lock: 'none',
      intervalMs: context.intervalMs ?? INTERVAL_MS,
      look: (signal, wake) => this.#look(signal, wake),
      lookPaused: async () => this.#stopUnwanted(await listStartedBuilds(context.pool)),
    };
  }

  /** Lets go of every build. Call it when the loop has stopped. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    for (const { drain } of this.#running.values()) drain.abort(new Drained());
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #look(signal: AbortSignal, wake: () => void): Promise<number | undefined> {
    const { pool, locks } = this.#context;
    const started = await listStartedBuilds(pool);
    this.#stopUnwanted(started);
    for (const { id, held } of started) {
      if (signal.aborted) return undefined;
      if (held || this.#running.has(id)) continue;
      const tracked = await trackBuild(pool, locks, id);
      if (tracked) this.#start(id, tracked, wake);
    }
    return started.every(({ id }) => this.#running.has(id)) ? undefined : TAKEOVER_MS;
  }

  /** Aborts builds that a user has aborted. Lets go of builds that were deleted: they have no row to end in. */
  #stopUnwanted(started: readonly StartedBuild[]): undefined {
    const aborted = new Map(started.map((build) => [build.id, build.aborted]));
    for (const [id, running] of this.#running) {
      if (aborted.get(id)) running.abort.abort();
      if (!aborted.has(id)) running.drain.abort(new Drained('the build has ended or was deleted'));
    }
  }

  #start(id: number, tracked: TrackedBuild, wake: () => void): void {
    const abort = new AbortController();
    const drain = new AbortController();
    if (tracked.build.aborted) abort.abort();
    const done = this.#runAndRelease(tracked, abort.signal, drain.signal, wake);
    this.#running.set(id, { abort, drain, done });
  }

  async #runAndRelease(tracked: TrackedBuild, abort: AbortSignal, drain: AbortSignal, wake: () => void): Promise<void> {
    const { id } = tracked.build;
    const { onError, clock } = this.#context;
    const trouble = new AbortController();
    const troubled = AbortSignal.any([trouble.signal, tracked.lost]);
    try {
      await this.#run(tracked, { abort, drain: AbortSignal.any([drain, troubled]) }, (error) => trouble.abort(error));
    } catch (error) {
      if (!drain.aborted && !isOver(error)) {
        onError(troubled.aborted ? troubled.reason : error, `build ${id}`);
        void clock.sleep(RETRY_MS, this.#stop.signal).then(wake, () => {}); // rejects when this web stops
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

/** Whether the journal refused a write because the build has ended or was deleted. */
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
