/** The kind of mistake, for code that handles it. */
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

/** A mistake in a user's input. The message is for the user and needs no context. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode;

  constructor(code: ConfigErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ConfigError';
    this.code = code;
  }
}
