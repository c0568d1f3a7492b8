import type { BuildAnswer } from '@seaplane/api/answers';

/** So many of the last good builds say how long the next takes. */
const SAMPLE = 20;

/** How long builds of a job take, in seconds. */
export interface Expected {
  /** Half of them took no longer. */
  readonly usual: number;
  /** Nine of ten took no longer. */
  readonly slow: number;
}

/** By the last builds that succeeded. Undefined if none has. */
export function expectedOf(history: readonly BuildAnswer[]): Expected | undefined {
  const durations = history
    .filter(
      ({ status, start_time: start, end_time: end }) =>
        status === 'succeeded' && start !== undefined && end !== undefined,
    )
    .slice(0, SAMPLE)
    .map(({ start_time: start = 0, end_time: end = 0 }) => end - start)
    .toSorted((a, b) => a - b);
  if (durations.length === 0) return undefined;
  const at = (share: number) => durations[Math.min(durations.length - 1, Math.ceil(share * durations.length) - 1)] ?? 0;
  return { usual: at(0.5), slow: at(0.9) };
}

export type Progress =
  | { readonly kind: 'on-time'; readonly share: number; readonly left: number }
  /** Longer than usual, but not longer than slow builds. */
  | { readonly kind: 'soon'; readonly share: number }
  | { readonly kind: 'late' };

/** How far a build that has run for so long is likely to be. */
export function progressOf({ usual, slow }: Expected, elapsed: number): Progress {
  if (elapsed < usual) return { kind: 'on-time', share: elapsed / usual, left: usual - elapsed };
  if (elapsed <= slow) return { kind: 'soon', share: 0.99 };
  return { kind: 'late' };
}
