import { HostError, type HostErrorCode } from '@seaplane/orchestrator';

/** Answers of an API server that the code asking handles itself. */
export type ApiAnswer =
  /** There is no such object. */
  | 'not-found'
  /** There is an object of that name already. */
  | 'conflict'
  /** A watch can't go on from its version. */
  | 'expired';

/** A {@link HostError} with the API server's own answer, for use within this package. */
export class ApiError extends HostError {
  readonly answer: ApiAnswer;

  constructor(answer: ApiAnswer, message: string) {
    super(CODES[answer], message);
    this.answer = answer;
  }
}

/** The meaning of an answer that nothing in this package has handled. */
const CODES: Readonly<Record<ApiAnswer, HostErrorCode>> = {
  'not-found': 'refused',
  conflict: 'refused',
  expired: 'overloaded',
};

export function hasAnswer(error: unknown, answer: ApiAnswer): boolean {
  return error instanceof ApiError && error.answer === answer;
}

export function hasCode(error: unknown, ...codes: readonly HostErrorCode[]): error is HostError {
  return error instanceof HostError && codes.includes(error.code);
}
