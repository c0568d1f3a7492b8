import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONCOURSE_VERSION, createApi, hijackUpgrade, type LocalUser, listFly } from '@seaplane/api';
import { ensureMainTeam, Notifications, openDatabase } from '@seaplane/db';
import { systemClock } from '@seaplane/orchestrator';
import type { Hono } from 'hono';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { apiContext } from './adapters/api-context.ts';
import {
  followTargets,
  isWelcomed,
  loadLocalUsers,
  loadRoles,
  loadStepDefaults,
  logEmbeddedEvent,
  logFailure,
  markWelcomed,
  openSecrets,
  openWorkers,
  requireLocalWorker,
  troubleLog,
  type WebConfig,
  workerOpener,
} from './boot/index.ts';
import { createApp } from './http/app.ts';
import { readBrowserFiles } from './http/browser-files.ts';
import { dialUpgrade } from './http/dials.ts';
import { checkHealth } from './http/health.ts';
import { browserUrl, HttpServer } from './http/http-server.ts';
import { Background } from './loops/background.ts';
import { welcome } from './welcome/welcome.ts';

const NO_WORKER =
  'there is no worker to run steps on, so every check and step will error (see --kubeconfig and --targets in --help)';
const NOT_BUILT = 'the browser application is not built: run npm run browser and start web again';
const EXAMPLE = join(import.meta.dirname, '../../../examples/hello.yml');
const BROWSER_FILES = join(import.meta.dirname, '../../browser/dist');
/** Nobody waits for longer. Everything survives the end of web at any moment; the database ends by itself after it. */
const STOP_LIMIT_MS = 4_500;

/** Runs Seaplane until `stop` aborts. Logs an error that ends it, and returns the exit status. */
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
    encryption: config.encryption,
    onEvent: (event) => logEmbeddedEvent(logger, event),
    wait: { clock: systemClock, patienceMs: config.databaseWaitMs, onWait: (message) => logger.warn(message) },
  });
  const { pool, backgroundPool, collectionPool } = database;
  const { users, owners, hint, passwordFile } = await loadLocalUsers(
    config.localUsers,
    config.mainTeamUsers,
    config.dataDir,
  );
  await ensureMainTeam(pool, { owner: { users: owners.map((name) => `local:${name}`), groups: [] } });

  // Web listens before its loops start: a port that is taken must not interrupt a step that has begun.
  let app: Pick<Hono, 'fetch'> = { fetch: answerStarting };
  await using server = await HttpServer.listen({ fetch: (...request) => app.fetch(...request) }, config);
  const externalUrl = config.externalUrl ?? browserUrl(config.host, server.port);

  await using notifications = await Notifications.open(pool);
  const reportTrouble = troubleLog(logger);
  const workers = await openWorkers(config, database.instance.id, systemClock, reportTrouble);
  const open = await workerOpener(config, database.instance.id, systemClock, reportTrouble);
  if (workers.length === 0) logger.warn(NO_WORKER);
  if (config.localWorker) logger.info('trying whether steps can run on this machine ...');
  await requireLocalWorker(workers, stop);
  if (config.cluster) logger.info(`the cluster of ${config.cluster.kubeconfig} is being checked ...`);
  const identityIssuer = config.oidcIssuerUrl ?? externalUrl;
  const common = { notifications, clock: systemClock, externalUrl };
  const { redactSecrets, maxChecksPerSecond } = config;
  const stepDefaults = await loadStepDefaults(config);
  const roles = await loadRoles(config.rolesFile);
  await using background = await Background.start({
    ...common,
    pool: backgroundPool,
    collectionPool,
    workers,
    targets: config.targetsFile === undefined ? undefined : followTargets(config.targetsFile, open),
    redactSecrets,
    stepDefaults,
    maxChecksPerSecond,
    loops: config.loops,
    placement: config.placement,
    identity: { issuer: identityIssuer, periods: config.signingKeys },
    secrets: openSecrets(config),
    logger,
    reportTrouble,
  });

  const onError = (err: unknown, path: string) => logger.error({ err, path }, 'a request failed');
  const context = apiContext({
    ...common,
    identityIssuer,
    pool,
    background,
    localUsers: users,
    ...roles,
    config,
    logger,
    onError,
  });
  const api = createApi(context);
  // Requests use the background work, so they end before it: first the shells in sandboxes, then the other requests.
  await using requests = new AsyncDisposableStack();
  requests.defer(() => server.close());
  const upgrade = requests.use(hijackUpgrade(api, context));
  const dial = dialUpgrade((name) => background.workers.dialTaker(name));
  server.onUpgrade(async (...request) => {
    if (!dial(...request)) await upgrade.handle(...request);
  });
  const health = () => checkHealth(database, version);
  const browser = await readBrowserFiles(BROWSER_FILES);
  if (!browser) logger.warn(NOT_BUILT);
  const { flyDirectory, concourseVersion, strictTransportSecurity, imageOrigins } = config;
  const fly = {
    list: async () => (flyDirectory ? listFly(flyDirectory) : []),
    version: concourseVersion ?? CONCOURSE_VERSION,
    url: externalUrl,
  };
  const instanceId = database.instance.id;
  app = createApp({
    checkHealth: health,
    instanceId,
    onError,
    api,
    browser,
    fly,
    strictTransportSecurity,
    imageOrigins,
  });

  logger.info(`ready: ${browserUrl(config.host, server.port)}`);
  if (hint) logger.info(`log in with: fly -t dev login -c ${externalUrl} ${hint}`);
  const greeted =
    hint && passwordFile ? greet(config, { url: externalUrl, hint, passwordFile, users }, logger, stop) : undefined;
  if (!stop.aborted) await once(stop, 'abort');
  logger.info(`stopping (${stop.reason.message}) ...`);
  exitIfStopTakesLong(logger);
  await greeted;
}

interface Greeting {
  readonly url: string;
  readonly hint: string;
  readonly passwordFile: string;
  readonly users: readonly LocalUser[];
}

/** Runs the example pipeline, once in the life of an installation on this machine. */
async function greet(
  config: WebConfig,
  { url, hint, passwordFile, users }: Greeting,
  logger: Logger,
  stop: AbortSignal,
): Promise<void> {
  const [admin] = users;
  if (!config.localWorker || config.database.kind !== 'embedded' || !admin || (await isWelcomed(config.dataDir)))
    return;
  const example = await readFile(EXAMPLE, 'utf8').catch(() => undefined);
  if (example === undefined) return;
  const parts = {
    url,
    loginHint: hint,
    passwordFile,
    ...(process.stdout.isTTY ? { password: admin.password } : {}),
    login: { url, user: admin.name, password: admin.password },
    example,
    print: (text: string) => void process.stdout.write(text),
    onSet: () => markWelcomed(config.dataDir),
  };
  await welcome(parts, stop).catch((error: Error) => {
    if (!stop.aborted) logger.warn(`the example pipeline could not be run: ${error.message}`);
  });
}

function answerStarting(): Response {
  return new Response('Seaplane is starting.\n', { status: 503, headers: { 'Retry-After': '1' } });
}

function exitIfStopTakesLong(logger: Logger): void {
  setTimeout(() => {
    logger.warn(`stopped after ${STOP_LIMIT_MS / 1000} s without waiting any longer; what is left ends by itself`);
    process.exit(0);
  }, STOP_LIMIT_MS).unref();
}
