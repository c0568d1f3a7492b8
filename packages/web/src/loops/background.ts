import type { BaseTypeDefaults, CheckIntervals } from '@seaplane/config';
import { type CredentialManager, Credentials, type Identity } from '@seaplane/credentials';
import { createRecords, createResources, EventAnnouncer, Locks, type Notifications } from '@seaplane/db';
import type { Clock, StepDefaults } from '@seaplane/engine';
import { Artifacts, PlacementPolicy, type PlacementSettings } from '@seaplane/orchestrator';
import { StoredPipelines } from '@seaplane/scheduler';
import type pg from 'pg';
import type { Logger } from 'pino';
import { engineSeams } from '../adapters/engine-seams.ts';
import { YamlThreads } from '../adapters/yaml-threads.ts';
import type { LoopSettings } from '../boot/loop-settings.ts';
import type { OpenWorker } from '../boot/open-workers.ts';
import type { ReadChanges } from '../boot/targets-file.ts';
import type { ReportTrouble } from '../boot/trouble-log.ts';
import { buildLogReaper } from './build-log-reaper.ts';
import { BuildTracker } from './build-tracker.ts';
import { collector } from './collector.ts';
import { ComponentRunner } from './component-runner.ts';
import { IdentityKeys, type IdentityKeysContext } from './identity-keys.ts';
import { JobScheduler } from './job-scheduler.ts';
import { pipelinePauser } from './pipeline-pauser.ts';
import { scanner } from './scanner.ts';
import { targetsFollower } from './targets-follower.ts';
import { workerCollector } from './worker-collector.ts';
import { type PoolChange, WorkerPool } from './worker-pool.ts';

export interface BackgroundOptions {
  readonly pool: pg.Pool;
  /** For statements that may take minutes. */
  readonly collectionPool: pg.Pool;
  readonly notifications: Pick<Notifications, 'subscribe'>;
  readonly clock: Clock;
  readonly externalUrl: string;
  readonly workers: readonly OpenWorker[];
  /** Follows the targets file, if there is one. */
  readonly targets?: ReadChanges | undefined;
  readonly redactSecrets: boolean;
  readonly stepDefaults: StepDefaults;
  readonly loops?: LoopSettings;
  /** How steps choose among workers. Absent: as in Concourse by default. */
  readonly placement?: PlacementSettings;
  /** As `ScannerContext` has it. */
  readonly maxChecksPerSecond: number;
  /** The issuer of identity tokens, and the life of the keys that sign them. */
  readonly identity: Pick<IdentityKeysContext, 'periods' | 'makeKey'> & { readonly issuer: string };
  /** The operator's own credential manager. Closed with this. */
  readonly secrets?: CredentialManager | undefined;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
  readonly reportTrouble: ReportTrouble;
  /** Replaces the interval of every loop. */
  readonly intervalMs?: number;
}

/** The work that web does without a request: its workers and its background loops. Webs share the work by locks. */
export class Background implements AsyncDisposable {
  readonly workers: WorkerPool;
  readonly artifacts: Artifacts;
  readonly credentials: Credentials;
  readonly identityKeys: IdentityKeys;
  readonly storedPipelines: StoredPipelines;
  readonly baseTypeDefaults: BaseTypeDefaults;
  readonly checkIntervals: CheckIntervals;
  readonly yaml: YamlThreads;
  readonly #parts: AsyncDisposableStack;

  private constructor(
    shared: Pick<
      Background,
      | 'workers'
      | 'artifacts'
      | 'credentials'
      | 'identityKeys'
      | 'storedPipelines'
      | 'baseTypeDefaults'
      | 'checkIntervals'
      | 'yaml'
    >,
    parts: AsyncDisposableStack,
  ) {
    this.workers = shared.workers;
    this.artifacts = shared.artifacts;
    this.credentials = shared.credentials;
    this.identityKeys = shared.identityKeys;
    this.storedPipelines = shared.storedPipelines;
    this.baseTypeDefaults = shared.baseTypeDefaults;
    this.checkIntervals = shared.checkIntervals;
    this.yaml = shared.yaml;
    this.#parts = parts;
  }

  static async start(options: BackgroundOptions): Promise<Background> {
    const { pool, collectionPool, notifications, clock, logger, reportTrouble } = options;
    const onError = (error: unknown, what: string) => reportTrouble(`${what} failed and is tried again`, error);
    const intervalMs = options.intervalMs === undefined ? {} : { intervalMs: options.intervalMs };
    const common = { pool, clock, onError, ...intervalMs };

    // Parts stop in reverse: the loops, then what they have begun, then what that uses.
    await using parts = new AsyncDisposableStack();
    const locks = parts.use(new Locks(pool));
    const onProblems = (worker: string, problems: readonly string[]) => logProblems(logger, worker, problems);
    const onCleared = (worker: string) => logger.info(`everything that was made for worker ${worker} has been removed`);
    const workers = parts.use(await WorkerPool.open({ ...common, onProblems, onCleared }, options.workers));
    const records = createRecords({ pool, locks });
    const onStoreError = (error: unknown) => onError(error, 'storing an artifact');
    const artifacts = new Artifacts(records, () => workers.workers(), onStoreError);
    const storedPipelines = new StoredPipelines();
    const stopping = new AbortController();
    const identityKeys = new IdentityKeys({ ...common, ...options.identity, locks }, stopping.signal);
    const identity: Identity = {
      issuer: options.identity.issuer,
      newestKey: (algorithm) => identityKeys.newestKey(algorithm),
    };
    const credentials = parts.use(
      new Credentials({ clock, identity, onError, ...(options.secrets ? { global: options.secrets } : {}) }),
    );
    parts.defer(() => stopping.abort(new Error('this web is stopping')));
    const yaml = parts.use(new YamlThreads());
    const { baseTypeDefaults = {}, checkIntervals = {} } = options.stepDefaults;
    const seamsFor = engineSeams({
      ...options,
      records,
      artifacts,
      credentials,
      storedPipelines,
      workers,
      placement: new PlacementPolicy(clock, options.placement),
      yaml,
      onError: (error) => onError(error, 'making room for steps'),
      resources: createResources({ pool, locks, baseTypeDefaults }),
    });
    const planning = { storedPipelines, baseTypeDefaults, checkIntervals };
    const announcer = parts.use(new EventAnnouncer({ pool, clock }));
    const announceEvents = (buildId: number) => announcer.announce(buildId);
    const { externalUrl } = options;
    const tracker = parts.use(new BuildTracker({ ...common, locks, externalUrl, announceEvents, seamsFor }));
    const scheduler = parts.use(new JobScheduler({ ...common, db: pool, locks, ...planning }));
    const onLeft = (worker: string, how: 'landed' | 'retired') => logger.info(`worker ${worker} has ${how}`);
    const { loops } = options;
    const collection = loops ? { settings: loops.collection } : {};
    const retention = loops ? { logRetention: loops.logRetention } : {};
    const components = [
      scanner({ ...common, ...planning, maxChecksPerSecond: options.maxChecksPerSecond }),
      scheduler.component,
      tracker.component,
      collector({ ...common, ...collection, pool: collectionPool, hosts: () => workers.hosts() }),
      workerCollector({ ...common, onLeft }),
      buildLogReaper({ ...common, ...retention, pool: collectionPool }),
      pipelinePauser({ ...common, days: loops?.pausePipelinesAfterDays ?? 0 }),
      identityKeys.component,
      ...(options.targets ? [followTargets(options.targets, workers, logger, intervalMs)] : []),
    ];
    const runner = parts.use(await ComponentRunner.start({ ...common, locks, notifications }, components));
    workers.run((component) => runner.run(component));
    return new Background({ workers, artifacts, credentials, identityKeys, ...planning, yaml }, parts.move());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#parts.disposeAsync();
  }
}

function followTargets(
  readChanges: ReadChanges,
  workers: WorkerPool,
  logger: Pick<Logger, 'info' | 'warn'>,
  interval: { readonly intervalMs?: number },
) {
  const onMistake = (message: string) => logger.warn(`${message} The former entry counts.`);
  const onChange = ({ added, changed, removed, taken }: PoolChange) => {
    for (const name of added) logger.info(`worker ${name} was added to the targets file`);
    for (const name of changed) logger.info(`worker ${name} has changed in the targets file`);
    for (const name of removed) logger.info(`worker ${name} was removed from the targets file: it is landing`);
    for (const name of taken)
      logger.warn(`Two workers are called ${name}. The one of the targets file is not used: give it another name.`);
  };
  return targetsFollower({ workers, readChanges, onMistake, onChange, ...interval });
}

function logProblems(logger: Pick<Logger, 'info' | 'warn'>, worker: string, problems: readonly string[]): void {
  if (problems.length === 0) logger.info(`worker ${worker} is well`);
  for (const problem of problems)
    logger.warn(problem.startsWith(`worker ${worker}`) ? problem : `worker ${worker}: ${problem}`);
}
