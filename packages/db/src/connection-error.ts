import { codeOf, DbError } from './errors.ts';

/** The target of a connection. It has no password, so it may be shown. */
export interface ConnectionTarget {
  readonly host: string;
  readonly port: number;
  readonly user?: string | undefined;
  readonly database?: string | undefined;
}

/** Puts a failed connection to a server of the user's own into words: what was tried, what happened, what to check. */
export function explainConnectionError(error: unknown, target: ConnectionTarget): DbError {
  const where = target.host.startsWith('/') ? `the socket in ${target.host}` : `${target.host}:${target.port}`;
  const said = messageOf(error);
  const unreachable = (check: string) =>
    new DbError('unreachable', `Cannot reach PostgreSQL at ${where} (from DATABASE_URL): ${said}. ${check}`, {
      cause: error,
    });
  const denied = (check: string) =>
    new DbError('access-denied', `PostgreSQL at ${where} refused us: ${said}. ${check}`, { cause: error });

  switch (codeOf(error)) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return unreachable('Is the server running there, and does it listen on that address?');
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return unreachable('Is the host name right, and does it resolve on this machine?');
    case 'ETIMEDOUT':
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return unreachable('Is there a route, and does a firewall or network policy let it through?');
    case '28P01':
    case '28000':
      return denied(`Check the user (${target.user}) and password in DATABASE_URL, and the server's pg_hba.conf.`);
    case '3D000':
      return denied(`Create it (CREATE DATABASE), or correct the database name (${target.database}) in DATABASE_URL.`);
    case '42501':
      return denied(`The user ${target.user} must own the database ${target.database}, or be allowed to create in it.`);
    case '53300':
      return denied("The server's max_connections is used up; raise it, or use fewer connections.");
    case '57P03':
      return unreachable('It is starting or stopping; try again shortly.');
    default:
      if (/timeout/i.test(said)) {
        return unreachable('Nothing answered in time: is it a PostgreSQL server, and is it reachable from here?');
      }
      if (/SSL|TLS|certificate/i.test(said)) {
        return unreachable(
          'Check sslmode in DATABASE_URL, and that the server speaks TLS with a certificate we trust.',
        );
      }
      return unreachable('Check DATABASE_URL and the server.');
  }
}

function messageOf(error: unknown): string {
  // Connecting to a name with several addresses fails with all their errors, and no message of its own.
  if (error instanceof AggregateError) return error.errors.map(messageOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}
