import { notify } from '../notifications/channels.ts';
import { inTransaction, type Queryable } from '../queryable.ts';
import type { WorkerState } from './workers.ts';

/**
 * The worker takes no new steps, and has landed when no build runs on it that may not be interrupted. False: no worker
 * has this name, or it retires.
 */
export function landWorker(db: Queryable, name: string): Promise<boolean> {
  return change(
    db,
    "UPDATE worker SET state = 'landing' WHERE name = $1 AND state NOT IN ('retiring', 'retired')",
    name,
  );
}

/** Like landing, but then the worker is no longer listed. False: no worker has this name. */
export function retireWorker(db: Queryable, name: string): Promise<boolean> {
  return change(db, "UPDATE worker SET state = 'retiring' WHERE name = $1 AND state <> 'retired'", name);
}

/** Retires a worker that is not running, at once. */
export function pruneWorker(db: Queryable, name: string): Promise<'done' | 'unknown' | 'running'> {
  const retire = "UPDATE worker SET state = 'retired' WHERE name = $1 AND state NOT IN ('running', 'retired')";
  return inTransaction(db, async (tx) => {
    if (await change(tx, retire, name)) return 'done';
    const { rowCount } = await tx.query("SELECT FROM worker WHERE name = $1 AND state = 'running'", [name]);
    return rowCount === 1 ? 'running' : 'unknown';
  });
}

/** Forgets a worker that has landed and that web does not have any more. If it is added again, it runs. */
export async function deleteLandedWorker(db: Queryable, name: string): Promise<void> {
  await change(db, "DELETE FROM worker WHERE name = $1 AND state = 'landed'", name);
}

/** A worker that was landed runs again: its entry in the targets file was taken away and is back. */
export async function readmitWorker(db: Queryable, name: string): Promise<void> {
  await change(db, "UPDATE worker SET state = 'running' WHERE name = $1 AND state IN ('landing', 'landed')", name);
}

/** The state of each worker, also of those that are not listed, and the entry that it last ran with. */
export async function readWorkerStates(
  db: Queryable,
): Promise<ReadonlyMap<string, { readonly state: WorkerState; readonly entry: string }>> {
  const { rows } = await db.query<{ name: string; state: WorkerState; entry: string }>(
    'SELECT name, state, entry FROM worker',
  );
  return new Map(rows.map(({ name, state, entry }) => [name, { state, entry }]));
}

/**
 * Forgets what a retired worker had, when everything has been removed from its host. Rows that a running build needs are kept
 * until the build has ended.
 */
export function forgetBelongings(db: Queryable, worker: string): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.query('UPDATE sandbox SET missing_since = now() WHERE worker_name = $1 AND missing_since IS NULL', [
      worker,
    ]);
    await tx.query('DELETE FROM artifact_copy WHERE worker_name = $1', [worker]);
    await tx.query(
      `DELETE FROM artifact a WHERE a.worker_name = $1 AND NOT EXISTS (
         SELECT FROM build b WHERE b.status IN ('pending', 'started')
           AND (b.id = a.build_id OR EXISTS (SELECT FROM artifact_use u WHERE u.artifact_id = a.id AND u.build_id = b.id)))`,
      [worker],
    );
  });
}

function change(db: Queryable, sql: string, name: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(sql, [name]);
    if (rowCount === 1) await notify(tx, 'workers', name);
    return rowCount === 1;
  });
}

/** Marks workers that gave no sign of life in time as stalled, and deletes ephemeral ones. Returns their names. */
export function stallSilentWorkers(db: Queryable): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      `WITH silent AS (
         SELECT name FROM worker WHERE state = 'running' AND expires_at < now() ORDER BY name FOR UPDATE
       ), stalled AS (
         UPDATE worker w SET state = 'stalled' FROM silent WHERE w.name = silent.name AND NOT w.ephemeral
       ), forgotten AS (
         DELETE FROM worker w USING silent WHERE w.name = silent.name AND w.ephemeral
       )
       SELECT name FROM silent`,
    );
    for (const { name } of rows) await notify(tx, 'workers', name);
    return rows.map(({ name }) => name);
  });
}

/**
 * Ends the leaving of workers on which no build runs that may not be interrupted: a landing worker has landed, a
 * retiring worker is retired. Returns their names.
 */
export function finishLeaving(db: Queryable): Promise<{ name: string; retired: boolean }[]> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ name: string; retired: boolean }>(
      `WITH leaving AS (
         SELECT name, state FROM worker w WHERE state IN ('landing', 'retiring') AND NOT EXISTS (
           SELECT FROM sandbox s JOIN build b ON b.id = s.build_id LEFT JOIN job j ON j.id = b.job_id
           WHERE s.worker_name = w.name AND b.status = 'started' AND NOT b.is_check AND NOT coalesce(j.interruptible, false))
         ORDER BY name FOR UPDATE
       )
       UPDATE worker w SET state = CASE leaving.state WHEN 'landing' THEN 'landed' ELSE 'retired' END, expires_at = NULL
       FROM leaving WHERE w.name = leaving.name RETURNING w.name, w.state = 'retired' AS retired`,
    );
    for (const { name } of rows) await notify(tx, 'workers', name);
    return rows;
  });
}
