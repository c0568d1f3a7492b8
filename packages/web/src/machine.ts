import { finishBuild, listStartedBuilds, Notifications, openDatabase } from '@seaplane/db';
import { type OpenHost, systemClock } from '@seaplane/orchestrator';
import type pg from 'pg';
import type { Logger } from 'pino';
import { logEmbeddedEvent, openWorkers, parseCommand, requireLocalWorker, troubleLog } from './boot/index.ts';
import { Background } from './loops/background.ts';

/** Processes that do not end by themselves are killed after ten seconds. */
const GONE_MS = 30_000;
const GONE_POLL_MS = 20;

export interface MachineOptions {
  /** Holds the database and everything of the worker. Throws `directory-in-use` (DbError) if another program works in it. */
  readonly dataDir: string;
  readonly logger: Logger;
  /** Gives up the start. */
  readonly signal: AbortSignal;
}

/** Builds on this machine without a server: an embedded database, the local worker, and the loops that run builds. */
export interface Machine extends AsyncDisposable {
  readonly pool: pg.Pool;
  readonly notifications: Notifications;
  readonly background: Background;
}

/**
 * Opens the machine. Builds and sandboxes that an earlier program left there, because it was killed, are ended first. Disposing
 * ends all sandboxes.
 */
export async function openMachine({ dataDir, logger, signal }: MachineOptions): Promise<Machine> {
  const config = defaults(dataDir);
  await using parts = new AsyncDisposableStack();
  const database = parts.use(
    await openDatabase(config.database, { signal, onEvent: (event) => logEmbeddedEvent(logger, event) }),
  );
  const { pool, backgroundPool, collectionPool, instance } = database;
  const notifications = parts.use(await Notifications.open(pool));
  const reportTrouble = troubleLog(logger);
  const workers = await openWorkers(config, instance.id, systemClock, reportTrouble);
  for (const { host } of workers) parts.use(host); // in case that the start fails; closing it twice does no harm
  await requireLocalWorker(workers, signal, '');
  const [worker] = workers;
  if (!worker) throw new Error('the local worker was opened and is not there');
  await endLeftovers(pool, worker.host);
  const externalUrl = 'http://localhost';
  const background = await Background.start({
    pool: backgroundPool,
    collectionPool,
    notifications,
    clock: systemClock,
    externalUrl,
    workers,
    redactSecrets: config.redactSecrets,
    stepDefaults: config.stepDefaults,
    maxChecksPerSecond: config.maxChecksPerSecond,
    identity: { issuer: externalUrl, periods: config.signingKeys },
    logger,
    reportTrouble,
  });
  parts.use(background);
  parts.defer(async () => {
    await background.artifacts.settle(); // the next build finds what this one has fetched
    await destroySandboxes(worker.host);
  });
  const open = parts.move();
  return { pool, notifications, background, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** Web's settings as they are without flags and variables. */
function defaults(dataDir: string) {
  const machine = { isRoot: false, home: undefined, platform: process.platform };
  const command = parseCommand(['--data-dir', dataDir, '--local-worker', 'true'], {}, machine);
  if (command.kind !== 'run') throw new Error('the settings of this machine are wrong');
  return command.config;
}

async function endLeftovers(pool: pg.Pool, host: OpenHost): Promise<void> {
  for (const { id } of await listStartedBuilds(pool)) await finishBuild(pool, id, 'aborted');
  await destroySandboxes(host);
}

/** Returns when all have gone: the host only accepts the request at first, and its agent may end with this program. */
async function destroySandboxes(host: OpenHost): Promise<void> {
  const signal = AbortSignal.timeout(GONE_MS);
  for (const handle of await host.list(signal)) await host.destroy(handle);
  while ((await host.list(signal)).length > 0) await systemClock.sleep(GONE_POLL_MS, signal);
}
