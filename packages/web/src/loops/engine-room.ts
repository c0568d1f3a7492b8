import { Credentials } from '@seaplane/credentials';
import { type BuildJournal, createRecords, createResources, Locks, Notifications } from '@seaplane/db';
import type { BuildInfo, EngineSeams } from '@seaplane/engine';
import { Artifacts, type OpenHost, orchestratorFor, systemClock, type WorkerConfig } from '@seaplane/orchestrator';
import type pg from 'pg';
import type { Logger } from 'pino';
import { createPipelines } from '../adapters/set-pipeline.ts';
import { variablesFor } from '../adapters/variables.ts';
import type { TellTrouble } from '../boot/trouble-log.ts';
import { BuildTracker } from './build-tracker.ts';
import { Collector } from './collector.ts';
import { JobScheduler } from './job-scheduler.ts';
import { ResourceChecker } from './resource-checker.ts';
import { WorkerPool } from './worker-pool.ts';

export interface EngineRoomOptions {
  readonly pool: pg.Pool;
  readonly externalUrl: string;
  readonly workers: readonly { readonly config: WorkerConfig; readonly host: OpenHost }[];
  readonly redactSecrets: boolean;
  readonly logger: Logger;
  readonly tellTrouble: TellTrouble;
}

/** Everything that runs by itself: schedules, checks, runs builds, collects. One a web; webs share the work by locks. */
export class EngineRoom implements AsyncDisposable {
  readonly notifications: Notifications;
  readonly artifacts: Artifacts;
  readonly workers: WorkerPool;
  readonly credentials: Credentials;
  readonly #parts: AsyncDisposableStack;

  private constructor(
    notifications: Notifications,
    artifacts: Artifacts,
    workers: WorkerPool,
    credentials: Credentials,
    parts: AsyncDisposableStack,
  ) {
    this.notifications = notifications;
    this.artifacts = artifacts;
    this.workers = workers;
    this.credentials = credentials;
    this.#parts = parts;
  }

  static async open({
    pool,
    externalUrl,
    workers: configured,
    redactSecrets,
    logger,
    tellTrouble,
  }: EngineRoomOptions): Promise<EngineRoom> {
    const onError = (error: unknown, what: string) => tellTrouble(`${what} failed and is tried again`, error);
    await using parts = new AsyncDisposableStack();
    // In this order, so that what is used last is closed last.
    const notifications = parts.use(await Notifications.open(pool));
    const locks = parts.use(new Locks(pool));
    const onProblems = (worker: string, problems: readonly string[]) => {
      if (problems.length === 0) logger.info(`worker ${worker} is well`);
      for (const problem of problems)
        logger.warn(problem.startsWith(`worker ${worker}`) ? problem : `worker ${worker}: ${problem}`);
    };
    const workers = parts.use(new WorkerPool({ pool, notifications, configured, onError, onProblems }));
    const records = createRecords({ pool, locks });
    const artifacts = new Artifacts(
      records,
      () => workers.workers(),
      (error) => onError(error, 'storing an artifact'),
    );
    const resources = createResources({ pool, locks });
    const credentials = parts.use(new Credentials({ clock: systemClock, onError }));
    const seamsFor = (build: BuildInfo, journal: BuildJournal): EngineSeams => ({
      clock: systemClock,
      journal,
      orchestrator: orchestratorFor(
        { records, artifacts, workers: () => workers.workers(), clock: systemClock },
        build,
      ),
      resources,
      variables: variablesFor(pool, credentials, build),
      pipelines: createPipelines(pool, journal),
      redactSecrets,
    });
    parts.use(new Collector({ pool, locks, notifications, hosts: () => workers.hosts(), onError }));
    parts.use(new BuildTracker({ pool, locks, notifications, externalUrl, seamsFor, onError }));
    parts.use(
      new JobScheduler({
        db: pool,
        locks,
        notifications,
        clock: systemClock,
        onError: (error) => onError(error, 'scheduling a job'),
        onLoopError: onError,
      }),
    );
    parts.use(new ResourceChecker({ pool, locks, notifications, onError }));
    return new EngineRoom(notifications, artifacts, workers, credentials, parts.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}
