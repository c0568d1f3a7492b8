import { assertNever } from '@seaplane/config';
import type { EmbeddedEvent } from '@seaplane/db';
import type { Logger } from 'pino';

/** Logs an event of the embedded server for the operator. */
export function logEmbeddedEvent(logger: Logger, event: EmbeddedEvent): void {
  const { level, message } = describe(event);
  logger[level](message);
}

type Level = 'debug' | 'info' | 'warn' | 'error';

function describe(event: EmbeddedEvent): { readonly level: Level; readonly message: string } {
  switch (event.type) {
    case 'initializing':
      return { level: 'info', message: 'first start: making a new database ...' };
    case 'leftover-stopped':
      return { level: 'warn', message: `stopped PostgreSQL (process ${event.pid}), which a killed Seaplane had left` };
    case 'ready':
      return { level: 'info', message: `PostgreSQL ${event.version} is ready (process ${event.pid})` };
    case 'died':
      return { level: 'error', message: `PostgreSQL ${event.how}; starting it again in ${event.retryMs} ms` };
    case 'restart-failed': {
      const reason = event.error instanceof Error ? event.error.message : String(event.error);
      return { level: 'error', message: `PostgreSQL is not back; next attempt in ${event.retryMs} ms: ${reason}` };
    }
    case 'log':
      return { level: event.level, message: `postgres: ${event.message}` };
    default:
      return assertNever(event);
  }
}
