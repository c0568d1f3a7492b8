import { ApiError } from '../api-error.ts';

/** The requester is not known, or sent a token that is not good. fly then prints how to log in. */
export function unauthorized(): ApiError {
  return new ApiError('unauthorized', 'not authorized');
}

/** The requester is known, and may not do this. fly prints the reason. */
export function forbidden(reason = 'forbidden'): ApiError {
  return new ApiError('forbidden', reason);
}
