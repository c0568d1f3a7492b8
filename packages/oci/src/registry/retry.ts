/** Time, which tests replace. */
export interface Clock {
  now(): number;
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 60_000;

/** Whether the same request may succeed later. */
export function isTemporary(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/**
 * How long to wait before the next attempt, the first being number 0. `Retry-After` counts (seconds or a date).
 * Undefined: the server wants a pause so long that waiting is of no use.
 */
export function pauseBefore(attempt: number, retryAfter: string | undefined, now: number): number | undefined {
  const backoff = Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS);
  const asked = retryAfterMs(retryAfter, now);
  if (asked === undefined) return backoff;
  return asked > LONGEST_PAUSE_MS ? undefined : asked;
}

function retryAfterMs(text: string | undefined, now: number): number | undefined {
  if (text === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
