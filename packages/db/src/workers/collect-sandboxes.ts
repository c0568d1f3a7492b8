import type { Queryable } from '../queryable.ts';

/** How long things are kept that are of no use but to people. In milliseconds. */
export interface GracePeriods {
  /** After the end of a one-off build. */
  readonly oneOffMs: number;
  /** After the end of a job's latest build, if it did not succeed. 0: until there is a later one. */
  readonly failedMs: number;
  /** After somebody was last in a sandbox. */
  readonly hijackMs: number;
  /** After the last check in a shared sandbox. */
  readonly idleCheckMs: number;
  /** For an artifact that is wanted to be copied to the store, after the end of its build. */
  readonly copyMs: number;
}

/** Concourse's own, where it has one. */
export const GRACE_PERIODS: GracePeriods = {
  oneOffMs: 5 * 60_000,
  failedMs: 120 * 3_600_000,
  hijackMs: 5 * 60_000,
  idleCheckMs: 5 * 60_000,
  copyMs: 2 * 60_000,
};

/**
 * Finds the builds that people may no longer look into (atc/db/build_factory.go): all that have ended, but for a job's
 * latest completed one that did not succeed, and one-off builds for a while. Returns how many.
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
 * Takes a worker's sandboxes that nobody wants any more, marks them as being destroyed and returns their handles, those
 * from earlier calls included until they are gone. Artifacts that are wanted get some time to be copied out of them.
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

/** Whether a sandbox that was claimed is still to go. A shared one may be wanted again by now. */
export async function isToBeDestroyed(db: Queryable, handle: string): Promise<boolean> {
  const { rowCount } = await db.query("SELECT FROM sandbox WHERE handle = $1 AND state = 'destroying'", [handle]);
  return rowCount === 1;
}

/**
 * Its host has it no longer: it was to be destroyed, or has been missing. Artifacts that were only there are gone with
 * it. One that is wanted again is being made anew, and is left alone.
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
 * Compares what a worker has with what is known. Returns the handles it should not have. What it does not have and should
 * is noted as missing; who is missing for long is forgotten by `forgetMissingSandboxes`.
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

/** Forgets sandboxes that their worker has not had for that long, and those it was to destroy and no longer has. */
export async function forgetMissingSandboxes(db: Queryable, graceMs: number): Promise<string[]> {
  const { rows } = await db.query<{ handle: string }>(
    `SELECT handle FROM sandbox
     WHERE missing_since IS NOT NULL AND (state = 'destroying' OR missing_since < now() - make_interval(secs => $1))
     ORDER BY handle`,
    [graceMs / 1000],
  );
  for (const { handle } of rows) await forgetSandbox(db, handle);
  return rows.map(({ handle }) => handle);
}
