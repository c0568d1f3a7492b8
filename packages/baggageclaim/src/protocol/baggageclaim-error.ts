import type { ErrorCode } from './messages.ts';

/** What the server answers, and two that only a client can find: nobody answers, or somebody of another version. */
export type BaggageclaimErrorCode = ErrorCode | 'unreachable' | 'other-protocol';

export class BaggageclaimError extends Error {
  readonly code: BaggageclaimErrorCode;

  constructor(code: BaggageclaimErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BaggageclaimError';
    this.code = code;
  }
}

/** HTTP statuses of what a server answers. */
export const STATUS = {
  'bad-request': 400,
  unauthorized: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  internal: 500,
  unavailable: 503,
} as const satisfies Record<ErrorCode, number>;

/** A process whose id is asked for with an attempt that is not its own. */
export function otherAttempt(id: string, known: string, asked: string): BaggageclaimError {
  return new BaggageclaimError('conflict', `process ${id} is of attempt ${known} here, not of ${asked}`);
}
