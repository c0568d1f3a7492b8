import type { Clock } from '@seaplane/engine';
import { CredentialError } from './credential-error.ts';

/** Concourse's own figures (`secret-retry-attempts`, `secret-retry-interval`). */
const ATTEMPTS = 5;
const PAUSE_MS = 1_000;

/** Repeats `act` while its manager is unavailable. The last error is thrown; other errors are thrown at once. */
export async function retryUnavailable<T>(clock: Clock, signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await act();
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof CredentialError) || error.code !== 'unavailable') throw error;
    }
    await clock.sleep(PAUSE_MS, signal);
  }
}
