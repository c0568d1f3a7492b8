import { notify } from '../notifications/channels.ts';
import { inTransaction, type Queryable } from '../queryable.ts';

/** Takes no new work; `landed` when nothing that may not be interrupted runs on it. False: there is no such worker. */
export function landWorker(db: Queryable, name: string): Promise<boolean> {
  return change(db, "UPDATE worker SET state = 'landing' WHERE name = $1 AND state NOT IN ('retiring')", name);
}

/** The same, and then it is forgotten. */
export function retireWorker(db: Queryable, name: string): Promise<boolean> {
  return change(db, "UPDATE worker SET state = 'retiring' WHERE name = $1", name);
}

/** Forgets a worker that does not run. */
export function pruneWorker(db: Queryable, name: string): Promise<'done' | 'unknown' | 'running'> {
  return inTransaction(db, async (tx) => {
    if (await change(tx, "DELETE FROM worker WHERE name = $1 AND state <> 'running'", name)) return 'done';
    const { rowCount } = await tx.query('SELECT FROM worker WHERE name = $1', [name]);
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

/** Those who gave no sign of life in time are stalled; ephemeral ones are forgotten. Returns their names. */
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
 * Workers that are landing or retiring and on which nothing runs that may not be interrupted: they are landed, or
 * forgotten. Returns their names, and whether each is to be emptied of all we made there.
 */
export function finishLeaving(db: Queryable): Promise<{ name: string; retired: boolean }[]> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ name: string; retired: boolean }>(
      `WITH leaving AS (
         SELECT name, state FROM worker w WHERE state IN ('landing', 'retiring') AND NOT EXISTS (
           SELECT FROM sandbox s JOIN build b ON b.id = s.build_id LEFT JOIN job j ON j.id = b.job_id
           WHERE s.worker_name = w.name AND b.status = 'started' AND NOT b.is_check AND NOT coalesce(j.interruptible, false))
         ORDER BY name FOR UPDATE
       ), landed AS (
         UPDATE worker w SET state = 'landed', expires_at = NULL FROM leaving
         WHERE w.name = leaving.name AND leaving.state = 'landing'
       ), retired AS (
         DELETE FROM worker w USING leaving WHERE w.name = leaving.name AND leaving.state = 'retiring'
       )
       SELECT name, state = 'retiring' AS retired FROM leaving`,
    );
    for (const { name } of rows) await notify(tx, 'workers', name);
    return rows;
  });
}
