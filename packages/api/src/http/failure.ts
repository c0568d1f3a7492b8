import { DbError } from '@seaplane/db';
import type { Context } from 'hono';
import { ApiError } from '../api-error.ts';
import { invalid, notFound, problem } from './problem.ts';

/** Answers a request whose handler threw. `report` is called with what is our fault. */
export function answerFailure(c: Context, error: unknown, report: (error: unknown) => void): Response {
  if (error instanceof ApiError) return invalid(c, [error.message]);
  if (error instanceof DbError && error.code === 'not-found') return notFound(c, error.message);
  report(error);
  if (isDatabaseDown(error)) {
    return problem(c, 503, 'Service Unavailable', 'The database cannot be reached at the moment. Try again soon.');
  }
  return problem(c, 500, 'Internal Server Error', 'The server failed to answer; its log says why.');
}

const CONNECTION_ERRORS = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', '57P01', '57P02', '57P03'];

/** Errors of the connection have no table, column or statement to them: only a code, or words of the driver's own. */
function isDatabaseDown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && 'syscall' in error && error.syscall !== 'connect') return false;
  if ('code' in error && typeof error.code === 'string') return CONNECTION_ERRORS.includes(error.code);
  return /^(Connection terminated|timeout exceeded when trying to connect)/.test(error.message);
}
