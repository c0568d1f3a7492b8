import type { Clock } from '@seaplane/orchestrator';

/**
 * The time of day to compare with times that the cluster gives. It goes on from what it was at the first look, so that
 * whoever sets the clock of this machine ends no wait early, and lets none go on for ever.
 */
export function steadyTime(clock: Pick<Clock, 'now' | 'elapsedMs'>): () => number {
  const start = clock.now().getTime() - clock.elapsedMs();
  return () => start + clock.elapsedMs();
}
