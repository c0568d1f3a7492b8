export type OrchestratorErrorCode =
  /** No worker has the step's platform, tags, team and resource type. */
  | 'no-worker'
  /** The process could not be started: no such executable, user or directory. */
  | 'not-started'
  /** The process could not be started, because an input could not be loaded. */
  | 'input-not-loaded'
  /** A resource script's answer is not valid. */
  | 'bad-script-output'
  /** An artifact that the step needs does not exist any more. */
  | 'artifact-gone'
  /** Somebody may have changed the image of a resource's scripts. */
  | 'artifact-touched'
  /** An artifact that the step needs is on another worker, and the way from there was cut again and again. */
  | 'artifact-not-streamed'
  /** An artifact is larger than the worker's store keeps. */
  | 'artifact-too-large'
  /** The worker's store has no room, or none for this team. */
  | 'store-full';

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
