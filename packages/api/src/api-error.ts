export type ApiErrorCode =
  /** The request cannot be read, or makes no sense. */
  | 'bad-request'
  /** The requester is not known. */
  | 'unauthorized'
  /** The requester is known, and may not do this. */
  | 'forbidden'
  | 'not-found'
  /** The state of a pipeline, job or resource does not allow this. */
  | 'conflict'
  /** The body is larger than the API reads. */
  | 'too-large'
  /** The body is of another type than the API reads. */
  | 'unsupported-type'
  /** The answer would be too large for anybody. */
  | 'unprocessable'
  /** The sender, or everybody together, asks for too much. */
  | 'too-many-requests'
  /** The route is for WebSockets. */
  | 'upgrade-required'
  /** The request failed for a reason that its sender can mend. Concourse answers 500 there. */
  | 'failed'
  /** Concourse has this route, Seaplane does not. */
  | 'not-implemented'
  /** The request cannot be served at the moment. */
  | 'unavailable';

interface ApiErrorOptions extends ErrorOptions {
  /** The body of the answer, for routes where fly reads JSON. Otherwise the body is made of the message. */
  readonly json?: unknown;
  /** When the sender may ask again. */
  readonly retryAfterSeconds?: number;
}

/**
 * The one error class of this package, and the one way to refuse a request. The message is for the user who sent the
 * request; an empty message means an answer without a body. `http/answer-failure.ts` makes the answer.
 */
export class ApiError extends Error {
  readonly code: ApiErrorCode;
  readonly json: unknown;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ApiErrorCode, message: string, { json, retryAfterSeconds, ...options }: ApiErrorOptions = {}) {
    super(message, options);
    this.name = 'ApiError';
    this.code = code;
    this.json = json;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
