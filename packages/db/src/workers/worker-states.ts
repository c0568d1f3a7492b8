import { notify } from '../notifications/channels.ts';
import { inTransaction, type Queryable } from '../queryable.ts';

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

/**
 * Forgets a worker that is not running. A stalled worker comes back with its next report; one that was told to leave is
 * retired.
 */
export function pruneWorker(db: Queryable, name: string): Promise<'done' | 'unknown' | 'running'> {
  const leaving = "UPDATE worker SET state = 'retired' WHERE name = $1 AND state IN ('landing', 'landed', 'retiring')";
  const stalled = "DELETE FROM worker WHERE name = $1 AND state = 'stalled'";
  return inTransaction(db, async (tx) => {
    if ((await change(tx, leaving, name)) || (await change(tx, stalled, name))) return 'done';
    const { rowCount } = await tx.query("SELECT FROM worker WHERE name = $1 AND state = 'running'", [name]);
    return rowCount === 1 ? 'running' : 'unknown';
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
