import type { BaseTypeDefaults, CheckIntervals } from '@seaplane/config';
import type { Clock } from '@seaplane/engine';
import { checkResource, countCheckables, dueChecks, type StoredPipelines } from '@seaplane/scheduler';
import type pg from 'pg';
import { CheckRate } from './check-rate.ts';
import type { Component } from './component.ts';
import { eachAtOnce } from './each-at-once.ts';

const INTERVAL_MS = 10_000;
/** Checks that fall due in close succession are found by one look. */
const REST_MS = 50;
/** Checks that are started at once, so that one that has to wait does not delay the others. */
const CHECKS_AT_ONCE = 8;
/** A look finds at most so many. */
const MOST_DUE = 1_000;
/** Unless an operator sets another rate, all resources are checked within this time, */
const ALL_WITHIN_MS = 60_000;
/** but never fewer a second than this: a few resources do not have to wait for each other. */
const LEAST_PER_SECOND = 20;
/** The number of resources is read again this often. */
const COUNT_MS = 60_000;

export interface ScannerContext {
  readonly baseTypeDefaults?: BaseTypeDefaults;
  readonly checkIntervals?: CheckIntervals;
  readonly pool: pg.Pool;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  readonly storedPipelines: Pick<StoredPipelines, 'read'>;
  readonly onError: (error: unknown, what: string) => void;
  /** Checks that begin in a second. 0: by the number of resources; negative: without a limit. */
  readonly maxChecksPerSecond: number;
  readonly intervalMs?: number;
}

/** Starts a check of each resource when it is due, at a limited rate, as Concourse does. One web at a time scans. */
export function scanner(context: ScannerContext): Component {
  const rate = new CheckRate(context.clock);
  const perSecond = checksPerSecond(context);
  return {
    name: 'scanner',
    channels: ['checks'],
    lock: 'component',
    intervalMs: context.intervalMs ?? INTERVAL_MS,
    restMs: REST_MS,
    look: async (signal) => startDueChecks(context, { rate, perSecond: await perSecond() }, signal),
  };
}

function checksPerSecond({ pool, clock, maxChecksPerSecond: set }: ScannerContext): () => Promise<number> {
  let counted: { readonly resources: number; readonly at: number } | undefined;
  return async () => {
    if (set !== 0) return set < 0 ? Number.POSITIVE_INFINITY : set;
    const now = clock.elapsedMs();
    if (!counted || now - counted.at >= COUNT_MS) counted = { resources: await countCheckables(pool), at: now };
    return Math.max((counted.resources / ALL_WITHIN_MS) * 1000, LEAST_PER_SECOND);
  };
}

/** Returns in how many milliseconds the next check is due and may begin. */
async function startDueChecks(
  { pool: db, clock, storedPipelines, baseTypeDefaults = {}, checkIntervals = {}, onError }: ScannerContext,
  { rate, perSecond }: { readonly rate: CheckRate; readonly perSecond: number },
  signal: AbortSignal,
): Promise<number | undefined> {
  const limit = Math.min(rate.allowed(perSecond), MOST_DUE);
  if (limit < 1) return rate.nextInMs(perSecond);
  const askedAt = clock.elapsedMs();
  const { due, nextInMs } = await dueChecks(db, limit);
  rate.begin(due.length);
  await eachAtOnce(due, CHECKS_AT_ONCE, signal, async (resourceId) => {
    // A resource that cannot be checked must not keep the others from being checked.
    const checks = { db, storedPipelines, baseTypeDefaults, checkIntervals };
    await checkResource(checks, resourceId, { manuallyTriggered: false }).catch((error: unknown) =>
      onError(error, `check of resource ${resourceId}`),
    );
  });
  if (due.length === limit) return rate.nextInMs(perSecond);
  return nextInMs === undefined ? undefined : nextInMs - (clock.elapsedMs() - askedAt);
}
