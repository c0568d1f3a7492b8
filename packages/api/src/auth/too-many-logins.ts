import { ApiError } from '../api-error.ts';

/** Refuses a login for now. fly prints the message, which says when to try again. */
export function tooManyLogins(reason: string, retryAfterSeconds: number): ApiError {
  const message = `${reason} Try again in ${retryAfterSeconds} seconds.`;
  const json = { error: 'temporarily_unavailable', error_description: message };
  return new ApiError('too-many-requests', message, { json, retryAfterSeconds });
}
