import type { ErrorCode } from './messages.ts';

/**
 * The codes of a server's answers, and three of the client's own: no server answers, another server than the expected one
 * does, or a server of another version does.
 */
export type BaggageclaimErrorCode = ErrorCode | 'unreachable' | 'untrusted' | 'other-protocol';

export class BaggageclaimError extends Error {
  readonly code: BaggageclaimErrorCode;

  constructor(code: BaggageclaimErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BaggageclaimError';
    this.code = code;
  }
}

/** The HTTP status of each code that a server answers with. */
export const STATUS = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  internal: 500,
  unavailable: 503,
  'registry-silent': 504,
  full: 507,
} as const satisfies Record<ErrorCode, number>;

/** The error for a process that was asked for by its id with another attempt than its own. */
export function otherAttempt(id: string, known: string, asked: string): BaggageclaimError {
  return new BaggageclaimError('conflict', `process ${id} is of attempt ${known} here, not of ${asked}`);
}
