import type { Clock } from '@seaplane/orchestrator';
import { hasCode } from './api-error.ts';

const FIRST_MS = 100;
const LONGEST_MS = 10_000;
/** An API server that has just started refuses everything until it has read its Roles and accounts. */
const RIGHTS_MS = 10_000;

/** How long to wait before try number `failures + 1`: doubled each time, and shorter by up to half so that webs spread out. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return full * (1 - random() / 2);
}

/**
 * Does `action`, and again while the API server is away or failing, until `patienceMs` have passed; while rights are
 * missing, for ten seconds at most since the first refusal. A step should not notice that an API server is replaced.
 * `action` must be idempotent.
 */
export async function retryWhileAway<T>(
  clock: Clock,
  patienceMs: number,
  signal: AbortSignal,
  action: () => Promise<T>,
): Promise<T> {
  let deadline = clock.elapsedMs() + patienceMs;
  let refused = false;
  for (let failures = 1; ; failures++) {
    try {
      return await action();
    } catch (error) {
      if (!isRefusal(error) && !hasCode(error, 'unreachable', 'overloaded')) throw error;
      const now = clock.elapsedMs();
      if (isRefusal(error) && !refused) {
        refused = true;
        failures = 1; // it answers again: the waits grow anew
        deadline = Math.min(deadline, now + RIGHTS_MS);
      }
      const wait = backoffMs(failures);
      if (now + wait > deadline) throw error;
      await clock.sleep(wait, signal);
    }
  }
}

function isRefusal(error: unknown): boolean {
  return hasCode(error, 'forbidden', 'unauthorized');
}
