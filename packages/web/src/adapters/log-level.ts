import type { LogLevel, LogLevels } from '@seaplane/api';
import type { Logger } from 'pino';

/** Concourse has fewer levels than pino: each of pino's is shown as the one that hides the same, or a little more. */
const SHOWN: Readonly<Record<string, LogLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'error',
  error: 'error',
};

export function logLevelOf(logger: Pick<Logger, 'level'>): LogLevels {
  return {
    get: () => SHOWN[logger.level] ?? 'fatal',
    set: (level) => {
      logger.level = level;
    },
  };
}
