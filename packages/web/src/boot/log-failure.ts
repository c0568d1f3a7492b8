import { DbError } from '@seaplane/db';
import type { Logger } from 'pino';
import { WebError } from './web-error.ts';

/** Logs the error that ended web: in words if an operator can do something about it, otherwise with its stack. */
export function logFailure(logger: Pick<Logger, 'fatal'>, error: unknown): void {
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
