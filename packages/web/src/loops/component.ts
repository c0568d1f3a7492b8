import type { Channel } from '@seaplane/db';

/**
 * Reads the current state and does whatever needs doing. Level-triggered: a look must not depend on what woke it, and
 * must do no harm when there is nothing to do. `wake` asks for another look, also after this one has ended. Returns in
 * how many milliseconds it wants to look again, if that is sooner than the interval.
 */
export type Look = (signal: AbortSignal, wake: () => void) => Promise<number | undefined>;

/** A background loop of web, as a value. The component runner does everything but the look. */
export interface Component {
  /** The name that `fly get-components` shows. The same as in Concourse where the loop does the same. */
  readonly name: string;
  /** Set when one web has several loops of this name. A notification about another instance does not wake this one. */
  readonly instance?: string;
  /** Notifications on these channels wake the loop. */
  readonly channels: readonly Channel[];
  /** `component`: one web at a time looks. `none`: every web looks, and the look itself locks the things it works on. */
  readonly lock: 'component' | 'none';
  /** The loop looks at least this often, in case a notification was lost. */
  readonly intervalMs: number;
  /** The least time between two looks, however often the loop is woken. */
  readonly restMs?: number;
  readonly look: Look;
  /** Runs instead of `look` while the component is paused. Absent: nothing runs. */
  readonly lookPaused?: Look;
  /** False: the loop is not a row of the table `component`, and nobody can pause it. */
  readonly listed?: false;
}
