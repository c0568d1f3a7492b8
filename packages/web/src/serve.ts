import { once } from 'node:events';
import { join } from 'node:path';
import { createApi, hijackUpgrade } from '@seaplane/api';
import { createClientFactory } from '@seaplane/baggageclaim';
import { type Database, DbError, ensureMainTeam, openDatabase } from '@seaplane/db';
import { systemClock } from '@seaplane/orchestrator';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { apiContext } from './adapters/api-context.ts';
import {
  loadSigner,
  loadWorkers,
  localUsers,
  logEmbeddedEvent,
  troubleLog,
  type WebConfig,
  WebError,
} from './boot/index.ts';
import { createApp } from './http/app.ts';
import { checkHealth } from './http/health.ts';
import { browserUrl, HttpServer } from './http/http-server.ts';
import { EngineRoom } from './loops/engine-room.ts';

/** If stopping takes longer than its parts allow themselves, something hangs: better to leave than to stay for ever. */
const STOP_LIMIT_MS = 20_000;

/** Runs Seaplane until `stop` aborts. Returns the exit status; what went wrong has been logged by then. */
export async function serve(config: WebConfig, logger: Logger, stop: AbortSignal): Promise<number> {
  try {
    await run(config, logger, stop);
    logger.info('stopped');
    return 0;
  } catch (error) {
    if (stop.aborted && error === stop.reason) {
      logger.info('stopped before it was ready');
      return 0;
    }
    logFailure(logger, error);
    return 1;
  }
}

async function run(config: WebConfig, logger: Logger, stop: AbortSignal): Promise<void> {
  const { version } = packageJson;
  logger.info(`Seaplane ${version}`);
  logger.info(
    config.database.kind === 'embedded'
      ? `starting embedded PostgreSQL in ${config.database.directory} ...`
      : 'connecting to the PostgreSQL server of DATABASE_URL ...',
  );
  await using database = await openDatabase(config.database, {
    signal: stop,
    onEvent: (event) => logEmbeddedEvent(logger, event),
  });
  const { users, owners, hint } = await localUsers(config.localUsers, config.mainTeamUsers, config.dataDir);
  await ensureMainTeam(database.pool, { owner: { users: owners.map((name) => `local:${name}`), groups: [] } });

  const onError = (err: unknown, path: string) => logger.error({ err, path }, 'a request failed');
  // It listens before anything runs by itself: a port that is taken must not cost a step that was begun.
  let app: Pick<Hono, 'fetch'> = { fetch: stillStarting };
  await using server = await HttpServer.listen({ fetch: (...request) => app.fetch(...request) }, config);
  const externalUrl = config.externalUrl ?? browserUrl(config.host, server.port);
  await using room = await openEngineRoom(config, database, externalUrl, logger);
  const { clusterName, flyDirectory, redactSecrets } = config;
  const context = apiContext({
    pool: database.pool,
    room,
    externalUrl,
    localUsers: users,
    redactSecrets,
    ...(clusterName ? { clusterName } : {}),
    ...(flyDirectory ? { flyDirectory } : {}),
    onError,
  });
  const api = createApi(context);
  // Whoever is served needs the room, and goes before it: those in a sandbox, then requests under way.
  await using served = new AsyncDisposableStack();
  served.defer(() => server.close());
  const upgrade = served.use(hijackUpgrade(api, context));
  server.onUpgrade(upgrade.handle);
  const health = () => checkHealth(database, version);
  app = createApp({ checkHealth: health, instanceId: database.instance.id, onError, api });
  logger.info(`ready: ${browserUrl(config.host, server.port)}`);
  if (hint) logger.info(`log in with: fly -t dev login -c ${externalUrl} ${hint}`);
  if (!stop.aborted) await once(stop, 'abort');
  logger.info(`stopping (${stop.reason.message}) ...`);
  setTimeout(() => {
    logger.error('stopping takes too long: giving up');
    process.exit(1);
  }, STOP_LIMIT_MS).unref();
}

function stillStarting(): Response {
  return new Response('Seaplane is starting.\n', { status: 503, headers: { 'Retry-After': '1' } });
}

async function openEngineRoom(
  config: WebConfig,
  { pool }: Database,
  externalUrl: string,
  logger: Logger,
): Promise<EngineRoom> {
  const configured = await loadWorkers(config.targetsFile);
  const signer = await loadSigner(join(config.dataDir, 'signing-key'));
  const client = createClientFactory(signer.sign);
  const tellTrouble = troubleLog(logger);
  const workers = configured.map((worker) => ({
    config: worker.config,
    host: worker.openHost({
      publicKey: signer.publicKey,
      client,
      clock: systemClock,
      onTrouble: (error) => tellTrouble(`worker ${worker.config.name} has trouble`, error),
    }),
  }));
  if (workers.length === 0)
    logger.warn('there is no target to run steps on, so every check and step will error (see --targets in --help)');
  return EngineRoom.open({
    pool,
    externalUrl,
    workers,
    redactSecrets: config.redactSecrets,
    logger,
    tellTrouble,
  });
}

/** What an operator can do something about is said in words; anything else is a defect, and its stack is shown. */
function logFailure(logger: Logger, error: unknown): void {
  if (error instanceof DbError) {
    const hint = error.code.startsWith('directory-')
      ? ' (The directory is chosen with --data-dir or SEAPLANE_DATA_DIR.)'
      : '';
    logger.fatal(`${error.message}${hint}`);
  } else if (error instanceof WebError) {
    logger.fatal(error.message);
  } else {
    logger.fatal({ err: error }, 'Seaplane failed');
  }
}
