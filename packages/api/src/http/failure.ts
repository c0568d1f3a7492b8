import { DbError, isConnectionLost } from '@seaplane/db';
import type { Context } from 'hono';
import { ApiError } from '../api-error.ts';
import { badRequest, notFound } from './problem.ts';

/** Answers a request whose handler threw. `report` is called with what is our fault. */
export function answerFailure(c: Context, error: unknown, report: (error: unknown) => void): Response {
  if (error instanceof ApiError) {
    switch (error.code) {
      case 'bad-request':
        return badRequest(c, error.message);
      case 'too-large':
        return c.text(error.message, 413);
      case 'unavailable':
        report(error);
        return c.text(error.message, 503);
    }
  }
  if (error instanceof DbError && error.code === 'not-found') return notFound(c, error.message);
  if (UNFIT_VALUES.has(codeOf(error))) {
    return badRequest(c, 'what was sent has a character or number in it that cannot be kept or looked for');
  }
  report(error);
  if (isConnectionLost(error)) {
    return c.text('The database cannot be reached at the moment. Try again soon.', 503);
  }
  return c.text('The server failed to answer; its log says why.', 500);
}

/** PostgreSQL's, for a number or time that is out of range, and NUL, which text and JSON there cannot hold. */
const UNFIT_VALUES: ReadonlySet<string | undefined> = new Set(['22003', '22008', '22021', '22P05']);

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
