import pg from 'pg';
import { DbError } from './errors.ts';

/**
 * The server ends or refuses connections: it starts or stops, an administrator ended them, or it has too many. Or it
 * cannot do its work at the moment: it is read-only after a fail-over (25006), its disk is full (53100), or it cancelled
 * the statement (57014).
 */
const NOT_SERVED = /^(08...|57P0[123]|53300|55000|25006|53100|57014)$/;

/** `pg` reports these two by their message only. */
const TIMED_OUT = 'Query read timeout';
const POOL_BUSY = 'timeout exceeded when trying to connect';

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

/** Whether there was no server that could do its work. */
export function isLost(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return NOT_SERVED.test(error.code ?? '');
  if (error instanceof AggregateError) return true; // a name with several addresses, none of which answered
  // Sockets and `pg` report connections by plain errors; a mistake of ours is a TypeError or the like.
  return error instanceof Error && error.constructor === Error;
}

/**
 * Whether the connection on which a statement failed so must not be used again, not even for a ROLLBACK: the server does
 * not answer on it, or another server may answer on a new one.
 */
export function isUnusableAfter(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return NOT_SERVED.test(error.code ?? '');
  return error instanceof Error && error.message === TIMED_OUT;
}

/** Whether all connections of a pool were in use for so long that `pg` gave up waiting. Nothing was sent. */
export function isPoolBusy(error: unknown): boolean {
  return error instanceof Error && error.message === POOL_BUSY;
}

/** Whether this is, or was caused by, a lost connection to the database. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DbError && error.code === 'connection-lost') return true;
  return error instanceof Error && error.cause !== undefined && isConnectionLost(error.cause);
}
