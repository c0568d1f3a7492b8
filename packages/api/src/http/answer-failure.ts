import { DbError, isConnectionLost } from '@seaplane/db';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import type { NotFoundAnswer } from '../answers/refusal.ts';
import { ApiError, type ApiErrorCode } from '../api-error.ts';

const STATUSES: Readonly<Record<ApiErrorCode, ContentfulStatusCode>> = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  'unsupported-type': 415,
  unprocessable: 422,
  'upgrade-required': 426,
  'too-many-requests': 429,
  failed: 500,
  'not-implemented': 501,
  unavailable: 503,
};

/** Answers a request whose handler threw. Calls `report` with every error that the sender cannot mend. */
export function answerFailure(c: Context, error: unknown, report: (error: unknown) => void): Response {
  if (error instanceof ApiError) {
    if (error.code === 'unavailable') report(error);
    return refuse(c, error);
  }
  if (error instanceof DbError && error.code === 'not-found')
    return refuse(c, new ApiError('not-found', error.message));
  if (UNFIT_VALUES.has(codeOf(error))) {
    return c.text('the request holds a character or number that the database cannot store', 400);
  }
  report(error);
  if (error instanceof DbError && error.code === 'pool-busy') {
    return c.text(error.message, 503, { 'Retry-After': '5' });
  }
  if (isConnectionLost(error)) {
    return c.text('The database cannot be reached at the moment. Try again soon.', 503);
  }
  return c.text('The server failed to answer; its log says why.', 500);
}

/** fly reads JSON in a 404 and prints its details. fly prints the body of any other refusal as it is. */
function refuse(c: Context, { code, message, json, retryAfterSeconds }: ApiError): Response {
  const status = STATUSES[code];
  if (code === 'upgrade-required') c.header('Upgrade', 'websocket');
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds));
  if (json !== undefined) return c.json(json, status);
  if (code === 'not-found') {
    const body: NotFoundAnswer = { errors: [{ title: 'Not Found', detail: message, status: '404' }] };
    return c.body(JSON.stringify(body), status, { 'Content-Type': 'application/vnd.api+json' });
  }
  return message === '' ? c.body(null, status) : c.text(message, status);
}

/** PostgreSQL's codes for a number or time out of range, and for NUL, which its text and JSON cannot hold. */
const UNFIT_VALUES: ReadonlySet<string | undefined> = new Set(['22003', '22008', '22021', '22P05']);

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
