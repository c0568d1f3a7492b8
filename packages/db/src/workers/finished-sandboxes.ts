import type { Queryable } from '../queryable.ts';
import type { GracePeriods } from './collect-sandboxes.ts';

/** Of a step's sandbox `s` in build `b`: the step has ended, however it ended. */
export const FINISHED = `(b.status NOT IN ('pending', 'started') OR EXISTS (
  SELECT FROM build_journal j WHERE j.build_id = s.build_id AND j.plan_id = s.plan_id AND j.what = 'result'))`;

/** Of an artifact `a` of build `b` that is in no store: a step or a user may still want it. */
const WANTED = `(b.status IN ('pending', 'started')
  OR EXISTS (SELECT FROM resource_cache c WHERE c.artifact_id = a.id)
  OR EXISTS (SELECT FROM worker_artifact w WHERE w.artifact_id = a.id)
  OR EXISTS (SELECT FROM task_cache t WHERE t.artifact_id = a.id))`;

/** Of a step's sandbox `s` in a build that runs: false for a step that failed, errored or was interrupted. */
const SUCCEEDED = `EXISTS (SELECT FROM build_journal j
  WHERE j.build_id = s.build_id AND j.plan_id = s.plan_id AND j.what = 'result' AND j.succeeded)`;

/** All sandboxes of the worker whose step has ended, and that nobody is in. They should reserve nothing. */
export async function listFinishedSandboxes(db: Queryable, worker: string, hijackMs: number): Promise<string[]> {
  const { rows } = await db.query<{ handle: string }>(
    `SELECT s.handle FROM sandbox s JOIN build b ON b.id = s.build_id
     WHERE s.worker_name = $1 AND s.state = 'created' AND s.missing_since IS NULL AND ${FINISHED}
       AND coalesce(s.last_hijacked_at, '-infinity') < now() - make_interval(secs => $2)
     ORDER BY s.handle`,
    [worker, hijackMs / 1000],
  );
  return rows.map(({ handle }) => handle);
}

/**
 * Sandboxes that may go so that a step of the build gets room: those of the build itself, steps that succeeded first, then
 * those that are kept of builds that have ended, the oldest first.
 */
export async function findFinishedSandboxes(
  db: Queryable,
  worker: string,
  buildId: number,
  hijackMs: number,
): Promise<string[]> {
  const { rows } = await db.query<{ handle: string }>(
    `SELECT s.handle FROM sandbox s JOIN build b ON b.id = s.build_id
     WHERE s.worker_name = $1 AND s.state = 'created' AND s.missing_since IS NULL
       AND (s.build_id = $2 OR b.status NOT IN ('pending', 'started')) AND ${FINISHED}
       AND coalesce(s.last_hijacked_at, '-infinity') < now() - make_interval(secs => $3)
     ORDER BY s.build_id <> $2, ${SUCCEEDED} DESC, b.ended_at, s.created_at, s.handle`,
    [worker, buildId, hijackMs / 1000],
  );
  return rows.map(({ handle }) => handle);
}

/** Artifacts that only this sandbox has, and that a step or a user may still want; with the team of its build. */
export async function findWantedArtifacts(
  db: Queryable,
  handle: string,
): Promise<{ readonly id: string; readonly teamId: number }[]> {
  const { rows } = await db.query<{ id: string; teamId: number }>(
    `SELECT a.id, b.team_id AS "teamId" FROM artifact a JOIN sandbox s ON s.handle = a.sandbox_handle JOIN build b ON b.id = s.build_id
     WHERE s.handle = $1 AND NOT a.stored AND ${WANTED} ORDER BY a.id`,
    [handle],
  );
  return rows;
}

/**
 * Marks a sandbox as `destroying`, from which on the collector destroys it. Returns false, and marks nothing, if its step
 * has not ended, if somebody is in it, or if only this sandbox has an artifact that is still wanted.
 */
export async function claimFinishedSandbox(db: Queryable, handle: string, hijackMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE sandbox s SET state = 'destroying' FROM build b
     WHERE s.handle = $1 AND b.id = s.build_id AND s.state = 'created' AND ${FINISHED}
       AND coalesce(s.last_hijacked_at, '-infinity') < now() - make_interval(secs => $2)
       AND NOT EXISTS (SELECT FROM artifact a WHERE a.sandbox_handle = s.handle AND NOT a.stored AND ${WANTED})`,
    [handle, hijackMs / 1000],
  );
  return rowCount === 1;
}

/** Sandboxes in which checks of one configuration take turns, the one that was used last at the end. */
export async function findCheckSandboxes(db: Queryable, worker: string): Promise<string[]> {
  const { rows } = await db.query<{ handle: string }>(
    `SELECT handle FROM sandbox WHERE worker_name = $1 AND config_id IS NOT NULL AND state <> 'destroying'
     ORDER BY last_used_at, handle`,
    [worker],
  );
  return rows.map(({ handle }) => handle);
}

/** Marks a sandbox in which checks take turns as `destroying`. Returns false, and marks nothing, if somebody is in it. */
export async function claimCheckSandbox(db: Queryable, handle: string, hijackMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `UPDATE sandbox SET state = 'destroying'
     WHERE handle = $1 AND config_id IS NOT NULL AND state <> 'destroying'
       AND coalesce(last_hijacked_at, '-infinity') < now() - make_interval(secs => $2)`,
    [handle, hijackMs / 1000],
  );
  return rowCount === 1;
}

/**
 * Marks sandboxes of builds that have ended as `destroying`: all but the latest `kept` of them, and all in which no process
 * was started. A sandbox that somebody is in stays, and so does one whose wanted artifacts are not stored.
 */
export async function claimSurplusSandboxes(
  db: Queryable,
  worker: string,
  kept: number,
  { hijackMs }: Pick<GracePeriods, 'hijackMs'>,
): Promise<void> {
  await db.query(
    `UPDATE sandbox SET state = 'destroying' FROM (
       SELECT s.handle, s.last_hijacked_at, s.state,
         row_number() OVER (PARTITION BY s.state ORDER BY b.ended_at DESC, s.created_at DESC, s.handle) AS place
       FROM sandbox s JOIN build b ON b.id = s.build_id
       WHERE s.worker_name = $1 AND s.state <> 'destroying' AND b.status NOT IN ('pending', 'started')
         AND NOT EXISTS (SELECT FROM artifact a WHERE a.sandbox_handle = s.handle AND NOT a.stored AND ${WANTED})
     ) ended
     WHERE sandbox.handle = ended.handle AND (place > $2 OR ended.state <> 'created')
       AND coalesce(ended.last_hijacked_at, '-infinity') < now() - make_interval(secs => $3)`,
    [worker, kept, hijackMs / 1000],
  );
}
