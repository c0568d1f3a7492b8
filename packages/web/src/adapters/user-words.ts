import { ApiError } from '@seaplane/api';
import { BaggageclaimError } from '@seaplane/baggageclaim';
import { assertNever } from '@seaplane/config';
import { HostError, OrchestratorError } from '@seaplane/orchestrator';

/**
 * Turns an error that users or operators can do something about into an answer in words. Returns any other error as it is:
 * it is only logged.
 */
export function inUserWords(error: unknown): unknown {
  if (error instanceof HostError) return new ApiError('unavailable', error.message, { cause: error });
  if (error instanceof OrchestratorError && (error.code === 'no-worker' || error.code === 'store-full')) {
    return new ApiError('unavailable', error.message, { cause: error });
  }
  if (error instanceof OrchestratorError && error.code === 'artifact-too-large') {
    return new ApiError('too-large', error.message, { cause: error });
  }
  if (!(error instanceof BaggageclaimError)) return error;
  switch (error.code) {
    case 'bad-request':
      return new ApiError('bad-request', error.message, { cause: error });
    case 'unreachable':
    case 'untrusted':
    case 'unavailable':
      return new ApiError('unavailable', `the worker does not answer: ${error.message}`, { cause: error });
    case 'unauthorized':
    case 'forbidden':
    case 'not-found':
    case 'conflict':
    case 'internal':
    case 'registry-silent': // a step's own image
    case 'other-protocol':
    case 'too-large': // of files that steps read, not users
    case 'full':
      return error;
    default:
      return assertNever(error.code);
  }
}
