import {
  type BuildJournal,
  createJournal,
  DbError,
  type Locks,
  listStartedBuilds,
  type StartedBuild,
  type TrackedBuild,
  trackBuilds,
} from '@seaplane/db';
import {
  type BuildEvent,
  type BuildInfo,
  type BuildSignals,
  type Clock,
  Drained,
  type EngineSeams,
  walkBuild,
} from '@seaplane/engine';
import type pg from 'pg';
import { watchDatabase } from '../adapters/database-watch.ts';
import type { Component } from './component.ts';

const INTERVAL_MS = 10_000;
/** No notification tells when a web dies: builds that other webs run are looked at this often. */
const TAKEOVER_MS = 1_500;
/** A build that ends its web does so soon. After this time it is not blamed for the death of the web. */
const SURVIVAL_MS = 10_000;
/** A build is not run again after so many webs in a row have died of it. */
const MOST_DEATHS = 3;
/** The wait before this web takes a build again that it had to let go of. */
const RETRY_MS = 1_000;
/** Builds that are taken with one statement: a web that died may have left a thousand. */
const BUILDS_AT_ONCE = 50;

export interface BuildTrackerContext {
  readonly pool: pg.Pool;
  readonly locks: Pick<Locks, 'tryAcquire'>;
  readonly clock: Clock;
  readonly externalUrl: string;
  /** Called when a build has new events. */
  readonly announceEvents: (buildId: number) => void;
  /** The engine's seams for one build. The journal given is one of them. */
  readonly seamsFor: (build: BuildInfo, journal: BuildJournal) => EngineSeams;
  readonly onError: (error: unknown, what: string) => void;
  readonly intervalMs?: number;
}

interface Running {
  readonly journal: BuildJournal;
  readonly since: number;
  readonly suspect: boolean;
  readonly abort: AbortController;
  readonly drain: AbortController;
  readonly done: Promise<void>;
}

/**
 * Runs every started build that no other web runs. The tracker takes a build by its lock, the engine walks its plan, and
 * the journal records its end. When this web stops, it lets go of its builds as they are, and another web resumes them.
 *
 * A build can end its web, say by exhausting its memory, and would then end every web that takes it. So when three webs in
 * a row have died while they held the build, the next web does not run it but ends it as errored. A death counts only if
 * the build wrote nothing to its journal since that web took it, and that web did not run it for ten seconds. A web that
 * let go of the build, or only lost its connection to the database, did not die. After two deaths a web runs such builds
 * one at a time, so that a build is not blamed for the deaths that another one caused.
 *
 * While the component is paused, this web takes no more builds. Builds that run go on, and can be aborted.
 */
export class BuildTracker implements AsyncDisposable {
  readonly component: Component;
  readonly #context: BuildTrackerContext;
  readonly #running = new Map<number, Running>();
  /** Builds that this web has let go of, and whose journals do not show that yet because the database was away. */
  readonly #lettingGo = new Set<BuildJournal>();
  readonly #survived = new WeakSet<BuildJournal>();
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
    await this.#recordLettingGo();
    const started = await listStartedBuilds(pool);
    this.#stopUnwanted(started);
    await this.#recordSurvivals();
    const free = started.filter(({ id, held }) => !held && !this.#running.has(id));
    const take = async (builds: readonly StartedBuild[], suspect: boolean) => {
      const ids = builds.map(({ id }) => id);
      for (const tracked of await trackBuilds(pool, locks, ids)) this.#start(tracked, suspect, wake);
    };
    const trusted = free.filter(({ suspect }) => !suspect);
    for (let n = 0; n < trusted.length && !signal.aborted; n += BUILDS_AT_ONCE) {
      await take(trusted.slice(n, n + BUILDS_AT_ONCE), false);
    }
    for (const build of free) {
      if (build.suspect && !this.#hasSuspect() && !signal.aborted) await take([build], true);
    }
    if (signal.aborted) return undefined;
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

  async #recordLettingGo(): Promise<void> {
    for (const journal of this.#lettingGo) {
      await journal.letGo();
      this.#lettingGo.delete(journal);
    }
  }

  async #recordSurvivals(): Promise<void> {
    const before = this.#context.clock.elapsedMs() - SURVIVAL_MS;
    for (const { journal, since } of this.#running.values()) {
      if (since > before || this.#survived.has(journal)) continue;
      await journal.recordSurvival();
      this.#survived.add(journal);
    }
  }

  /** Whether one of the builds that run here may still end this web. */
  #hasSuspect(): boolean {
    return [...this.#running.values()].some(({ suspect, journal }) => suspect && !this.#survived.has(journal));
  }

  #start(tracked: TrackedBuild, suspect: boolean, wake: () => void): void {
    const { id } = tracked.build;
    const abort = new AbortController();
    const drain = new AbortController();
    if (tracked.build.aborted) abort.abort();
    const { pool, clock, announceEvents } = this.#context;
    const journal = createJournal(pool, id, announceEvents);
    const done = this.#runAndRelease(tracked, journal, { abort: abort.signal, drain: drain.signal }, wake);
    this.#running.set(id, { journal, since: clock.elapsedMs(), suspect, abort, drain, done });
  }

  async #runAndRelease(
    tracked: TrackedBuild,
    journal: BuildJournal,
    { abort, drain }: BuildSignals,
    wake: () => void,
  ): Promise<void> {
    const { id } = tracked.build;
    const { onError, clock } = this.#context;
    const trouble = new AbortController();
    const troubled = AbortSignal.any([trouble.signal, tracked.lost]);
    try {
      const signals = { abort, drain: AbortSignal.any([drain, troubled]) };
      await this.#run(tracked, journal, signals, (error) => trouble.abort(error));
    } catch (error) {
      if (!drain.aborted && !isOver(error)) {
        onError(troubled.aborted ? troubled.reason : error, `build ${id}`);
        void clock.sleep(RETRY_MS, this.#stop.signal).then(wake, () => {}); // rejects when this web stops
      }
      // If the database is away, the next look tries again.
      await journal.letGo().catch(() => this.#lettingGo.add(journal));
    } finally {
      this.#running.delete(id);
      await tracked[Symbol.asyncDispose]();
    }
  }

  async #run(
    { build, plan }: TrackedBuild,
    journal: BuildJournal,
    signals: BuildSignals,
    onLost: (error: Error) => void,
  ): Promise<void> {
    const { clock, seamsFor, externalUrl } = this.#context;
    if ((await journal.countDeaths()) >= MOST_DEATHS) {
      await journal.emit('webs-died', websDied(plan.id, clock));
      await journal.finish('errored');
      return;
    }
    const info = buildInfo(build, externalUrl);
    const seams = watchDatabase(seamsFor(info, journal), onLost);
    const { status } = await walkBuild(seams, info, plan, signals);
    await journal.finish(status);
  }
}

function websDied(planId: string, clock: Clock): BuildEvent {
  const message =
    `this build was ended because ${MOST_DEATHS} webs in a row died soon after they took it, without progress of the build: ` +
    "a step may need more memory in web than web has. Web's log, or the reason of its last restart, may say more.";
  return { event: 'error', data: { message, origin: { id: planId }, time: Math.floor(clock.now().getTime() / 1000) } };
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
