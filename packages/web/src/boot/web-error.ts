export type WebErrorCode =
  | 'port-in-use'
  | 'address-unusable'
  | 'bad-admin-password'
  | 'bad-roles'
  | 'bad-signing-key'
  | 'bad-targets'
  | 'bad-type-defaults'
  /** Steps cannot run on this machine. */
  | 'no-local-worker';

/** The error class of this package. Its message tells the operator what happened and what to do. */
export class WebError extends Error {
  readonly code: WebErrorCode;

  constructor(code: WebErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'WebError';
    this.code = code;
  }
}
