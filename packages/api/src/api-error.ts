export type ApiErrorCode =
  /** What was sent cannot be read, or makes no sense. */
  | 'bad-request'
  /** More was sent than is read. */
  | 'too-large'
  /** It cannot be done at the moment, here. */
  | 'unavailable';

/** The one error class of this package. The message is for the user who sent the request. */
export class ApiError extends Error {
  readonly code: ApiErrorCode;

  constructor(code: ApiErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ApiError';
    this.code = code;
  }
}
