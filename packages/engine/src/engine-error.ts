export type EngineErrorCode =
  | 'artifact-missing'
  | 'executable-missing'
  | 'file-invalid'
  | 'file-missing'
  | 'image-failed'
  | 'image-missing'
  | 'inputs-missing'
  | 'invalid-plan'
  | 'step-errored'
  | 'version-missing';

/** Why a step errored, in words for the author of the pipeline. */
export class EngineError extends Error {
  readonly code: EngineErrorCode;

  constructor(code: EngineErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EngineError';
    this.code = code;
  }
}

/** Whether an error event was written for the error, or for every error it is made of. */
export function isReported(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isReported);
  return error instanceof EngineError && error.code === 'step-errored';
}
