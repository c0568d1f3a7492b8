import { once } from 'node:events';
import { DbError, openDatabase } from '@seaplane/db';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { createApp } from './app.ts';
import type { WebConfig } from './config.ts';
import { checkHealth } from './health.ts';
import { browserUrl, HttpServer } from './http-server.ts';
import { logEmbeddedEvent } from './log-embedded-event.ts';
import { WebError } from './web-error.ts';

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
  const app = createApp({
    checkHealth: () => checkHealth(database, version),
    instanceId: database.instance.id,
    onError: (err, path) => logger.error({ err, path }, 'a request failed'),
  });
  await using server = await HttpServer.listen(app, config);
  logger.info(`ready: ${browserUrl(config.host, server.port)}`);
  if (!stop.aborted) await once(stop, 'abort');
  logger.info(`stopping (${stop.reason.message}) ...`);
  setTimeout(() => {
    logger.error('stopping takes too long: giving up');
    process.exit(1);
  }, STOP_LIMIT_MS).unref();
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
