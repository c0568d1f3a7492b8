import pg from 'pg';
import { DbError } from './errors.ts';

/** The server ends or refuses connections: starting, stopping, told to by an administrator, or out of them. */
const NOT_SERVED = /^(08...|57P0[123]|53300|55000)$/;

/**
 * A failure as the caller is to see it: `connection-lost` when it was for want of a server, and not for what was asked of
 * it. Then it is not known whether a commit was done; everything else was not.
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
  // What sockets and `pg` say of a connection is a plain error; a mistake of ours is a TypeError or the like.
  return error instanceof Error && error.constructor === Error;
}

/** Whether this is, or was caused by, a lost connection to the database. */
export function isConnectionLost(error: unknown): boolean {
  if (error instanceof DbError && error.code === 'connection-lost') return true;
  return error instanceof Error && error.cause !== undefined && isConnectionLost(error.cause);
}
