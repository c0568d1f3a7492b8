export type OrchestratorErrorCode =
  /** No worker takes this step: platform, tags, team or resource type. */
  | 'no-worker'
  /** The process could not be started: no such executable, user or directory. */
  | 'not-started'
  /** A resource script answered what it must not. */
  | 'bad-script-output'
  /** Something a step was to use is not there any more. */
  | 'artifact-gone'
  /** It is on another worker than the step that was to use it. */
  | 'artifact-elsewhere'
  /** An artifact that is not an image was used as one. */
  | 'bad-image';

/**
 * A step that errored, by the platform's fault or the configuration's; a red test is not an error. The message is for the
 * user. A step whose host or sandbox fails gets a {@link HostError} instead.
 */
export class OrchestratorError extends Error {
  readonly code: OrchestratorErrorCode;

  constructor(code: OrchestratorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OrchestratorError';
    this.code = code;
  }
}
