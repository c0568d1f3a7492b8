import type { Clock } from '@seaplane/engine';
import { isLost } from './connection-lost.ts';
import { codeOf, DbError } from './errors.ts';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** How to wait for a server that is away. */
export interface ServerWait {
  readonly clock: Pick<Clock, 'elapsedMs' | 'sleep'>;
  readonly patienceMs: number;
  /** Called when the wait begins, and when there is another reason for it. The text has no password. */
  readonly onWait: (message: string) => void;
}

/**
 * Does `open`, and again while the server is away: nothing listens there, it starts, recovers or stops, or it has too many
 * connections. Throws the last error when the patience is over, and any other error at once: waiting does not mend a
 * password.
 */
export async function waitForServer<T>(
  { clock, patienceMs, onWait }: ServerWait,
  signal: AbortSignal,
  open: () => Promise<T>,
): Promise<T> {
  const end = clock.elapsedMs() + patienceMs;
  let said = '';
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await open();
    } catch (error) {
      const left = end - clock.elapsedMs();
      if (!isAway(error) || left <= 0) throw error;
      if (error.message !== said) onWait(`${error.message} Waiting for it, ${Math.ceil(left / 1000)} s at most.`);
      said = error.message;
      await clock.sleep(Math.min(pause, left), signal);
    }
  }
}

function isAway(error: unknown): error is DbError {
  if (!(error instanceof DbError)) return false;
  if (error.code === 'connection-lost') return true;
  if (error.code !== 'unreachable' && error.code !== 'access-denied') return false;
  const { cause } = error;
  const isMistake =
    codeOf(cause) === 'ENOTFOUND' || (cause instanceof Error && /SSL|TLS|certificate/i.test(cause.message));
  return isLost(cause) && !isMistake;
}
