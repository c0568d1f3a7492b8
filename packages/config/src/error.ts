/** What went wrong, for those who act on it rather than show it. */
export type ConfigErrorCode =
  | 'invalid-yaml'
  | 'invalid-json'
  | 'invalid-duration'
  | 'invalid-reference'
  | 'undefined-vars'
  | 'missing-source'
  | 'missing-field'
  | 'invalid-field'
  | 'invalid-interpolation'
  | 'unknown-resource'
  | 'unknown-prototype'
  | 'version-not-provided'
  | 'invalid-plan';

/** A mistake in what somebody wrote. The message is for them and stands on its own. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
    this.code = code;
  }
}
