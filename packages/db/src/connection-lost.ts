import pg from 'pg';
import { DbError } from './errors.ts';

/** The server ends or refuses connections: it starts or stops, an administrator ended them, or it has too many. */
const NOT_SERVED = /^(08...|57P0[123]|53300|55000)$/;

/**
 * Returns the error that the caller gets: `connection-lost` if there was no server, and the error itself if the server
 * refused the statement. After `connection-lost` it is not known whether a COMMIT took effect; any other statement did
 * not.
 */
export function explainLostConnection(error: unknown): unknown {
  return isLost(error) ? connectionLost(error) : error;
}

export function connectionLost(cause: unknown): DbError {
  const message = `The connection to the database was lost: ${(cause as Error).message}`;
  return new DbError('connection-lost', message, { cause });
}

function isLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return NOT_SERVED.test(error.code ?? '');
  if (error instanceof AggregateError) return true; // a name with several addresses, none of which answered
  // Sockets and `pg` report connections by plain errors; a mistake of ours is a TypeError or the like.
  return error instanceof Error && error.constructor === Error;
}

/** Whether this is, or was caused by, a lost connection to the database. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DbError && error.code === 'connection-lost') return true;
  return error instanceof Error && error.cause !== undefined && isConnectionLost(error.cause);
}
