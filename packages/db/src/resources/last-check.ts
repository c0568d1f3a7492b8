import { type CheckPlan, parseDuration, type Version } from '@seaplane/config';
import { requestScheduleOfWaiting } from '../jobs/request-schedule.ts';
import { CHANNELS } from '../notifications/channels.ts';
import { oneRow, type Queryable } from '../queryable.ts';

/** When a scope was last checked, beside the times of the build that wants to check it. All by the database's clock. */
export interface LastCheck {
  readonly now: Date;
  /** The last check that has ended was a success. */
  readonly succeeded: boolean;
  readonly startedAt: Date | null;
  readonly endedAt: Date | null;
  readonly buildCreatedAt: Date;
  readonly buildStartedAt: Date | null;
}

export async function readLastCheck(db: Queryable, scopeId: number, buildId: number): Promise<LastCheck> {
  const result = await db.query<LastCheck>(
    // A check that began and did not end was its web's last deed: what is known of success is about the one before.
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
 * Whether a check must run, or what is known is recent enough (atc/engine/check_delegate.go).
 * - asked for: not if a check that succeeded began after this one was asked for, unless `from` is given.
 * - periodic: not before its interval is over.
 * - of an image, within a build: not if a success ended after the build started, or within the interval.
 */
export function mustRun(plan: CheckPlan, last: LastCheck): boolean {
  const interval = intervalOf(plan);
  if (interval === 'never') return false;
  const withinInterval = last.endedAt !== null && last.now.getTime() < last.endedAt.getTime() + interval;
  if (plan.resource === undefined) {
    if (!last.succeeded || last.endedAt === null) return true;
    const sinceBuildStarted = last.buildStartedAt !== null && last.endedAt > last.buildStartedAt;
    return !sinceBuildStarted && (plan.skip_interval === true || !withinInterval);
  }
  if (!plan.skip_interval) return !withinInterval;
  const answered = last.succeeded && last.startedAt !== null && last.startedAt > last.buildCreatedAt;
  return plan.from_version !== undefined || !answered;
}

/** In milliseconds. `never` only keeps periodic checks from running. */
export function intervalOf({ interval, skip_interval }: CheckPlan): number | 'never' {
  if (interval === 'never') return skip_interval ? 0 : 'never';
  return interval ? parseDuration(interval) : 0;
}

/** Notes that a check begins. `buildId`: of the build whose subject it is, and not only a part. */
export async function recordCheckStart(db: Queryable, scopeId: number, buildId: number | undefined): Promise<void> {
  await db.query(
    'UPDATE resource_scope SET last_check_started_at = clock_timestamp(), last_check_build_id = $2 WHERE id = $1',
    [scopeId, buildId],
  );
}

/** Nothing is checked more often, whatever it says. */
const SHORTEST_INTERVAL_MS = 1_000;
/** Who starts the checks looks that often by themselves; a next check that is due sooner they must be told of. */
const SOON_MS = 10_000;

/** Notes that a check has ended and when the next is due, and tells the builds that waited for it. */
export async function recordCheckEnd(
  tx: Queryable,
  scopeId: number,
  plan: CheckPlan,
  succeeded: boolean,
): Promise<void> {
  const interval = plan.interval === 'never' ? 'never' : Math.max(Number(intervalOf(plan)), SHORTEST_INTERVAL_MS);
  await tx.query(
    `UPDATE resource_scope SET last_check_ended_at = clock_timestamp(), last_check_succeeded = $2,
       next_check_at = CASE WHEN $3 THEN 'infinity' ELSE clock_timestamp() + make_interval(secs => $4) END
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

/** The version a check starts from: the one asked for, the one the resource is pinned to, the newest known. */
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
