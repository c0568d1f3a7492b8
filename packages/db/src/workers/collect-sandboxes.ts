import type { Queryable } from '../queryable.ts';

/** How long things are kept that only people still need. In milliseconds. */
export interface GracePeriods {
  /** After the end of a one-off build. */
  readonly oneOffMs: number;
  /** After the end of a job's latest build, if it did not succeed. 0: until there is a later one. */
  readonly failedMs: number;
  /** After somebody was last in a sandbox. */
  readonly hijackMs: number;
  /** After the last check in a shared sandbox. */
  readonly idleCheckMs: number;
  /** After the end of a build, for wanted artifacts to be copied to the store. */
  readonly copyMs: number;
}

/** The same as Concourse's, where Concourse has one. */
export const GRACE_PERIODS: GracePeriods = {
  oneOffMs: 5 * 60_000,
  failedMs: 120 * 3_600_000,
  hijackMs: 5 * 60_000,
  idleCheckMs: 5 * 60_000,
  copyMs: 2 * 60_000,
};

/**
 * Marks the builds that people may no longer intercept (atc/db/build_factory.go): all that have ended, except a job's
 * latest completed build if it did not succeed, and except one-off builds for a while. Returns how many.
 */
export async function markUninterceptible(db: Queryable, { oneOffMs, failedMs }: GracePeriods): Promise<number> {
  const { rowCount } = await db.query(
    `UPDATE build b SET interceptible = false
     WHERE interceptible AND status NOT IN ('pending', 'started')
       AND (job_id IS NOT NULL OR is_check OR ended_at < now() - make_interval(secs => $1))
       AND (status = 'succeeded'
         OR ($2::float8 > 0 AND ended_at < now() - make_interval(secs => $2))
         OR NOT EXISTS (SELECT FROM job j WHERE j.latest_completed_build_id = b.id))`,
    [oneOffMs / 1000, failedMs / 1000],
  );
  return rowCount ?? 0;
}

/**
 * Marks a worker's sandboxes that nobody wants any more as `destroying` and returns their handles, including those of
 * earlier calls that are not gone yet. A sandbox is kept for a short while so that wanted artifacts can be copied out
 * of it.
 */
export async function claimUnwantedSandboxes(db: Queryable, worker: string, grace: GracePeriods): Promise<string[]> {
  const { rows } = await db.query<{ handle: string }>(
    `UPDATE sandbox s SET state = 'destroying'
     WHERE s.worker_name = $1 AND (s.state = 'destroying' OR (
       coalesce(s.last_hijacked_at, '-infinity') < now() - make_interval(secs => $2)
       AND CASE WHEN s.shared THEN s.last_used_at < now() - make_interval(secs => $3)
         ELSE NOT EXISTS (SELECT FROM build b WHERE b.id = s.build_id AND (b.interceptible OR (
           b.ended_at > now() - make_interval(secs => $4) AND EXISTS (
             SELECT FROM artifact a WHERE a.sandbox_handle = s.handle AND NOT a.stored AND (
               EXISTS (SELECT FROM resource_cache c WHERE c.artifact_id = a.id)
               OR EXISTS (SELECT FROM worker_artifact w WHERE w.artifact_id = a.id)
               OR EXISTS (SELECT FROM task_cache t WHERE t.artifact_id = a.id)))))) END))
     RETURNING s.handle`,
    [worker, grace.hijackMs / 1000, grace.idleCheckMs / 1000, grace.copyMs / 1000],
  );
  return rows.map(({ handle }) => handle).sort();
}

/** Whether a claimed sandbox must still be destroyed. A shared sandbox may be wanted again in the meantime. */
export async function isToBeDestroyed(db: Queryable, handle: string): Promise<boolean> {
  const { rowCount } = await db.query("SELECT FROM sandbox WHERE handle = $1 AND state = 'destroying'", [handle]);
  return rowCount === 1;
}

/**
 * Deletes the row of a sandbox that its host no longer has: it was to be destroyed, or was missing. Artifacts that are
 * in no store are deleted too. A sandbox that is wanted again is being made anew, and its row is kept.
 */
export async function forgetSandbox(db: Queryable, handle: string): Promise<void> {
  await db.query(
    `WITH gone AS (
         DELETE FROM sandbox WHERE handle = $1 AND (state = 'destroying' OR missing_since IS NOT NULL) RETURNING handle),
       moved AS (UPDATE artifact SET sandbox_handle = NULL, sandbox_path = NULL FROM gone
         WHERE sandbox_handle = gone.handle AND stored)
     DELETE FROM artifact USING gone WHERE sandbox_handle = gone.handle AND NOT stored`,
    [handle],
  );
}

/**
 * Compares the handles that a worker has with the database. Returns the handles that the worker should not have.
 * Sandboxes that it should have and does not are marked as missing; `forgetMissingSandboxes` deletes them later.
 */
export async function reconcileSandboxes(db: Queryable, worker: string, handles: readonly string[]): Promise<string[]> {
  await db.query(
    `UPDATE sandbox SET missing_since = CASE WHEN handle = ANY($2::text[]) THEN NULL ELSE now() END
     WHERE worker_name = $1 AND state <> 'creating'
       AND (handle = ANY($2::text[])) = (missing_since IS NOT NULL)`,
    [worker, handles],
  );
  const { rows } = await db.query<{ handle: string }>(
    `SELECT h.handle FROM unnest($2::text[]) AS h (handle)
     WHERE NOT EXISTS (SELECT FROM sandbox s WHERE s.handle = h.handle AND s.worker_name = $1) ORDER BY h.handle`,
    [worker, handles],
  );
  return rows.map(({ handle }) => handle);
}

/**
 * Deletes sandboxes that have been missing for `graceMs`, and missing ones that were to be destroyed. The row of a running
 * build's sandbox is kept: without it, the next web to take the build would run the step's process a second time.
 */
export async function forgetMissingSandboxes(db: Queryable, graceMs: number): Promise<string[]> {
  const { rows } = await db.query<{ handle: string }>(
    `SELECT handle FROM sandbox s
     WHERE missing_since IS NOT NULL AND (state = 'destroying' OR (
       missing_since < now() - make_interval(secs => $1)
       AND NOT EXISTS (SELECT FROM build b WHERE b.id = s.build_id AND b.status IN ('pending', 'started'))))
     ORDER BY handle`,
    [graceMs / 1000],
  );
  for (const { handle } of rows) await forgetSandbox(db, handle);
  return rows.map(({ handle }) => handle);
}
