import type { Clock } from '@seaplane/engine';
import { checkResource, dueChecks, type StoredPipelines } from '@seaplane/scheduler';
import type pg from 'pg';
import type { Component } from './component.ts';
import { eachAtOnce } from './each-at-once.ts';

const INTERVAL_MS = 10_000;
/** Checks that fall due in close succession are found by one look. */
const REST_MS = 50;
/** Checks that are started at once, so that one that has to wait does not delay the others. */
const CHECKS_AT_ONCE = 8;

export interface ScannerContext {
  readonly pool: pg.Pool;
  readonly clock: Pick<Clock, 'now'>;
  readonly storedPipelines: Pick<StoredPipelines, 'read'>;
  readonly onError: (error: unknown, what: string) => void;
  readonly intervalMs?: number;
}

/** Starts a check of each resource when it is due. */
export function scanner(context: ScannerContext): Component {
  return {
    name: 'scanner',
    channels: ['checks'],
    lock: 'component',
    intervalMs: context.intervalMs ?? INTERVAL_MS,
    restMs: REST_MS,
    look: (signal) => startDueChecks(context, signal),
  };
}

/** Returns in how many milliseconds the next check is due. */
async function startDueChecks(
  { pool: db, clock, storedPipelines, onError }: ScannerContext,
  signal: AbortSignal,
): Promise<number | undefined> {
  const askedAt = clock.now().getTime();
  const { due, nextInMs } = await dueChecks(db);
  await eachAtOnce(due, CHECKS_AT_ONCE, signal, async (resourceId) => {
    // A resource that cannot be checked must not keep the others from being checked.
    await checkResource({ db, storedPipelines }, resourceId, { manuallyTriggered: false }).catch((error: unknown) =>
      onError(error, `check of resource ${resourceId}`),
    );
  });
  return nextInMs === undefined ? undefined : nextInMs - (clock.now().getTime() - askedAt);
}
