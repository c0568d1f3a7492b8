/**
 * - `unknown-type`: this version has no manager of that type.
 * - `invalid-config`: the var source's configuration cannot be used.
 * - `unknown-variable`: the manager never has a variable of that name.
 * - `unavailable`: the manager's server did not answer. Asking again may help, so the lookup is retried.
 * - `refused`: the manager's server does not permit it. Asking again does not help.
 * - `closed`: this web is stopping.
 */
export type CredentialErrorCode =
  | 'unknown-type'
  | 'invalid-config'
  | 'unknown-variable'
  | 'unavailable'
  | 'refused'
  | 'closed';

/** Why a variable could not be looked up, in words for the author of the pipeline. The message never holds a secret. */
export class CredentialError extends Error {
  readonly code: CredentialErrorCode;

  constructor(code: CredentialErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CredentialError';
    this.code = code;
  }
}
