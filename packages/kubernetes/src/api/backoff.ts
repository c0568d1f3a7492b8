import type { Clock } from '@seaplane/orchestrator';
import { hasCode } from './api-error.ts';

const FIRST_MS = 100;
const LONGEST_MS = 10_000;

/** How long to wait before try number `failures + 1`: doubled each time, and shorter by up to half so that webs spread out. */
export function backoffMs(failures: number, random: () => number = Math.random): number {
  const full = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));
  return full * (1 - random() / 2);
}

/**
 * Does `action`, and again while the API server is away or failing, until `patienceMs` have passed. A step should not notice
 * that an API server is replaced. `action` must be idempotent.
 */
export async function retryWhileAway<T>(
  clock: Clock,
  patienceMs: number,
  signal: AbortSignal,
  action: () => Promise<T>,
): Promise<T> {
  const deadline = clock.now().getTime() + patienceMs;
  for (let failures = 1; ; failures++) {
    try {
      return await action();
    } catch (error) {
      const wait = backoffMs(failures);
      if (!hasCode(error, 'unreachable', 'overloaded') || clock.now().getTime() + wait > deadline) throw error;
      await clock.sleep(wait, signal);
    }
  }
}
