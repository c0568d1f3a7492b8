import { parseDuration } from '@seaplane/config';
import { GRACE_PERIODS, type GracePeriods, type LogRetentionLimits } from '@seaplane/db';
import { Mistake, whereSet } from './mistake.ts';

/** The operator's settings for background loops: names and meanings are Concourse's. */
export interface LoopSettings {
  readonly collection: CollectionSettings;
  readonly logRetention: LogRetentionLimits;
  /** Pipelines without a build for so many days are paused. 0: none. */
  readonly pausePipelinesAfterDays: number;
}

export interface CollectionSettings {
  readonly intervalMs: number;
  readonly grace: GracePeriods;
  /** How long the database remembers a sandbox that its worker does not have. */
  readonly missingMs: number;
  /** How long the log of a check can be read, unless it is the latest check. */
  readonly checkMs: number;
}

export const COLLECTION_DEFAULTS: CollectionSettings = {
  intervalMs: 30_000,
  grace: GRACE_PERIODS,
  missingMs: 5 * 60_000,
  checkMs: 2 * 60_000,
};

export const LOOP_FLAGS = [
  'gc-interval',
  'gc-one-off-grace-period',
  'gc-missing-grace-period',
  'gc-hijack-grace-period',
  'gc-failed-grace-period',
  'gc-check-recycle-period',
  'default-build-logs-to-retain',
  'max-build-logs-to-retain',
  'default-days-to-retain-build-logs',
  'max-days-to-retain-build-logs',
  'pause-pipelines-after',
] as const;
type Flag = (typeof LOOP_FLAGS)[number];
type Read = (flag: Flag) => string | undefined;

export const LOOP_HELP = `
  --gc-interval D    how often unneeded things are deleted  SEAPLANE_GC_INTERVAL, default 30s
  --gc-one-off-grace-period D     of one-off builds         SEAPLANE_GC_ONE_OFF_GRACE_PERIOD, default 5m
  --gc-missing-grace-period D     that a worker has lost    SEAPLANE_GC_MISSING_GRACE_PERIOD, default 5m
  --gc-hijack-grace-period D      that somebody has left    SEAPLANE_GC_HIJACK_GRACE_PERIOD, default 5m
  --gc-failed-grace-period D      of failed builds; 0: kept SEAPLANE_GC_FAILED_GRACE_PERIOD, default 120h
  --gc-check-recycle-period D     logs of checks            SEAPLANE_GC_CHECK_RECYCLE_PERIOD, default 2m
  --default-build-logs-to-retain N      logs of jobs that   SEAPLANE_DEFAULT_BUILD_LOGS_TO_RETAIN, default 0: all
  --default-days-to-retain-build-logs N do not say          SEAPLANE_DEFAULT_DAYS_TO_RETAIN_BUILD_LOGS
  --max-build-logs-to-retain N          logs of all jobs    SEAPLANE_MAX_BUILD_LOGS_TO_RETAIN, default 0: all
  --max-days-to-retain-build-logs N                         SEAPLANE_MAX_DAYS_TO_RETAIN_BUILD_LOGS
  --pause-pipelines-after N  pauses pipelines without a     SEAPLANE_PAUSE_PIPELINES_AFTER, default 0: none
                     build for so many days`;

/** Reads the settings of background loops. Pure. */
export function parseLoopSettings(read: Read): LoopSettings {
  const { grace, intervalMs, missingMs, checkMs } = COLLECTION_DEFAULTS;
  return {
    collection: {
      intervalMs: period(read, 'gc-interval', intervalMs, 1_000),
      grace: {
        ...grace,
        oneOffMs: period(read, 'gc-one-off-grace-period', grace.oneOffMs),
        hijackMs: period(read, 'gc-hijack-grace-period', grace.hijackMs),
        failedMs: period(read, 'gc-failed-grace-period', grace.failedMs),
      },
      missingMs: period(read, 'gc-missing-grace-period', missingMs),
      checkMs: period(read, 'gc-check-recycle-period', checkMs),
    },
    logRetention: {
      defaultBuilds: parseWholeNumber(read, 'default-build-logs-to-retain'),
      maxBuilds: parseWholeNumber(read, 'max-build-logs-to-retain'),
      defaultDays: parseWholeNumber(read, 'default-days-to-retain-build-logs'),
      maxDays: parseWholeNumber(read, 'max-days-to-retain-build-logs'),
    },
    pausePipelinesAfterDays: parseWholeNumber(read, 'pause-pipelines-after'),
  };
}

/** A duration such as `5m`, in milliseconds. */
function period(read: Read, flag: Flag, byDefault: number, leastMs = 0): number {
  const text = read(flag);
  if (text === undefined) return byDefault;
  const ms = msOf(text);
  if (ms !== undefined && ms >= leastMs) return ms;
  const least = leastMs > 0 ? ` of at least ${leastMs / 1000}s` : '';
  throw new Mistake(`"${text}" is not a duration${least}, such as 5m or 120h ${whereSet(flag)}`);
}

function msOf(text: string): number | undefined {
  try {
    return parseDuration(text);
  } catch {
    return undefined;
  }
}

/** A number of 0 or more. Without the flag it is 0. */
export function parseWholeNumber<F extends string>(read: (flag: F) => string | undefined, flag: F): number {
  const text = read(flag) ?? '0';
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new Mistake(`"${text}" is not a whole number ${whereSet(flag)}`);
}
