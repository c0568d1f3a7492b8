import { type CheckPlan, DEFAULT_CHECK_INTERVAL, parseDuration, type Version } from '@seaplane/config';
import { requestScheduleOfWaiting } from '../jobs/request-schedule.ts';
import { CHANNELS } from '../notifications/channels.ts';
import { oneRow, type Queryable } from '../queryable.ts';

/** When a scope was last checked, and the times of the build that wants to check it, by the database's clock. */
export interface LastCheck {
  readonly now: Date;
  /** The last check has ended, and succeeded. */
  readonly succeeded: boolean;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly buildCreatedAt: Date;
  readonly buildStartedAt: Date | null;
}

export async function readLastCheck(db: Queryable, scopeId: number, buildId: number): Promise<LastCheck> {
  const result = await db.query<LastCheck>(
    // If a web died during a check, that check has no end: `last_check_succeeded` is about the check before it.
    `SELECT clock_timestamp() AS now,
       s.last_check_succeeded AND s.last_check_ended_at >= s.last_check_started_at AS succeeded,
       s.last_check_started_at AS "startedAt", s.last_check_ended_at AS "endedAt",
       b.created_at AS "buildCreatedAt", b.started_at AS "buildStartedAt"
     FROM resource_scope s, build b WHERE s.id = $1 AND b.id = $2`,
    [scopeId, buildId],
  );
  return oneRow(result);
}

/**
 * Decides whether a check must run or the known versions are recent enough (atc/engine/check_delegate.go).
 *
 * - Somebody asked for the check: it does not run if a check that succeeded began later, unless `from` is given.
 * - Periodic: it does not run before its interval has passed.
 * - Of an image, within a build: it does not run if a check has succeeded since the build started, or within its
 *   interval. With `never` it runs once.
 *
 * Whether a periodic check is due is decided twice. `dueChecks` of the scheduler creates check builds at
 * `next_check_at`, which `recordCheckEnd` below sets to the end of the last check and the interval. This function
 * decides again, with the lock held, because another build may have checked the same history since. Both count the
 * interval from the end of the last check: if `next_check_at` came earlier, the scheduler would create builds that
 * check nothing.
 */
export function mustRun(plan: CheckPlan, last: LastCheck): boolean {
  const ofImage = plan.resource === undefined;
  const written = intervalOf(plan);
  // Without a first check there would be no image to run with.
  if (written === 'never' && !(ofImage && last.endedAt === null)) return false;
  const interval = written === 'never' ? 0 : written;
  const withinInterval = last.endedAt !== null && last.now.getTime() < last.endedAt.getTime() + interval;
  if (ofImage) {
    if (!last.succeeded || last.endedAt === null) return true;
    const sinceBuildStarted = last.buildStartedAt !== null && last.endedAt > last.buildStartedAt;
    return !sinceBuildStarted && (plan.skip_interval === true || !withinInterval);
  }
  if (!plan.skip_interval) return !withinInterval;
  const answered = last.succeeded && last.startedAt !== null && last.startedAt > last.buildCreatedAt;
  return plan.from_version !== undefined || !answered;
}

/** How long a resource waits for its next periodic check, in seconds. Null: for ever. */
export function secondsBetweenChecks(checkEvery: string | undefined): number | null {
  if (checkEvery === 'never') return null;
  return Math.max(parseDuration(checkEvery || DEFAULT_CHECK_INTERVAL), SHORTEST_INTERVAL_MS) / 1000;
}

/** In milliseconds. `never` only keeps periodic checks from running. */
export function intervalOf({ interval, skip_interval }: CheckPlan): number | 'never' {
  if (interval === 'never') return skip_interval ? 0 : 'never';
  return interval ? parseDuration(interval) : 0;
}

/**
 * Moves the next periodic check to the end of its interval. The operator may have made the interval longer since the last
 * check; without this, builds that check nothing would be created until it has passed.
 */
export async function postponeCheck(db: Queryable, scopeId: number, plan: CheckPlan): Promise<void> {
  const interval = intervalOf(plan);
  if (plan.resource === undefined || plan.skip_interval || interval === 'never') return;
  await db.query(
    `UPDATE resource_scope SET next_check_at = last_check_ended_at + make_interval(secs => $2)
     WHERE id = $1 AND next_check_at < last_check_ended_at + make_interval(secs => $2)`,
    [scopeId, interval / 1000],
  );
}

/** Records that a check begins. `buildId` is the build if the check is its subject, and not only a part of it. */
export async function recordCheckStart(db: Queryable, scopeId: number, buildId: number | undefined): Promise<void> {
  await db.query(
    'UPDATE resource_scope SET last_check_started_at = clock_timestamp(), last_check_build_id = $2 WHERE id = $1',
    [scopeId, buildId],
  );
}

/** No resource is checked more often, whatever its `check_every`. */
const SHORTEST_INTERVAL_MS = 1_000;
/** The loop that creates checks looks this often by itself. It is notified of a check that is due sooner. */
const SOON_MS = 10_000;

/** Records the end of a check and when the next is due, and schedules the jobs whose builds waited for it. */
export async function recordCheckEnd(
  tx: Queryable,
  scopeId: number,
  plan: CheckPlan,
  succeeded: boolean,
): Promise<void> {
  const interval = plan.interval === 'never' ? 'never' : Math.max(Number(intervalOf(plan)), SHORTEST_INTERVAL_MS);
  await tx.query(
    `UPDATE resource_scope SET last_check_ended_at = clock_timestamp(), last_check_succeeded = $2,
       -- A check that runs while the interval changes must not end checking for good.
       next_check_at = CASE WHEN $3 AND NOT EXISTS (
           SELECT FROM resource
           WHERE scope_id = $1 AND active AND check_every IS DISTINCT FROM 'never') THEN 'infinity' ELSE clock_timestamp() + make_interval(secs => $4) END
     WHERE id = $1`,
    [scopeId, succeeded, interval === 'never', interval === 'never' ? 0 : interval / 1000],
  );
  if (interval !== 'never' && interval < SOON_MS) {
    await tx.query(`SELECT pg_notify('${CHANNELS.checks}', pipeline_id::text) FROM resource WHERE scope_id = $1`, [
      scopeId,
    ]);
  }
  await requestScheduleOfWaiting(tx, scopeId);
}

/**
 * The version a check starts from: the one asked for, else the one the resource is pinned to, else the newest known.
 */
export async function versionToCheckFrom(
  db: Queryable,
  plan: CheckPlan,
  scopeId: number,
  resourceId: number | undefined,
): Promise<Version | undefined> {
  if (plan.from_version) return plan.from_version;
  const { rows } = await db.query<{ version: Version | null }>(
    `SELECT coalesce(
       (SELECT version FROM resource_pin WHERE resource_id = $2),
       (SELECT version FROM resource_version WHERE scope_id = $1 ORDER BY check_order DESC LIMIT 1)) AS version`,
    [scopeId, resourceId],
  );
  return rows[0]?.version ?? undefined;
}
