import { HostError } from '@seaplane/orchestrator';
import type { Logger } from 'pino';

/** A problem that lasts is logged again after this. */
const AGAIN_MS = 5 * 60_000;

export type ReportTrouble = (what: string, error: unknown) => void;

/**
 * Logs background failures that are retried: each problem once, and again from time to time while it lasts. An error of a
 * host is logged in its own words; any other error may be a defect, and is logged with its stack.
 */
export function troubleLog(logger: Pick<Logger, 'warn' | 'error'>, now = () => performance.now()): ReportTrouble {
  const loggedAt = new Map<string, number>();
  return (what, error) => {
    const inWords = error instanceof HostError; // its message names the worker and the operation
    const text = inWords ? error.message : `${what}: ${error instanceof Error ? error.message : String(error)}`;
    for (const [logged, at] of loggedAt) if (now() - at >= AGAIN_MS) loggedAt.delete(logged);
    if (loggedAt.has(text)) return;
    loggedAt.set(text, now());
    if (inWords) logger.warn(text);
    else logger.error({ err: error }, what);
  };
}
