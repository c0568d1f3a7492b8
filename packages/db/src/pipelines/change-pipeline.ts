import type { JsonObject } from '@seaplane/config';
import { codeOf, DbError } from '../errors.ts';
import { requestScheduleOfPipeline } from '../jobs/request-schedule.ts';
import { announceChange, announcePipelines } from '../notifications/changes.ts';
import { CHANNELS, notify } from '../notifications/channels.ts';
import { inTransaction, patiently, type Queryable } from '../queryable.ts';

export async function pausePipeline(db: Queryable, id: number, by: string): Promise<void> {
  await db.query(
    `WITH paused AS (
       UPDATE pipeline SET paused = true, paused_by = $2, paused_at = now() WHERE id = $1 AND NOT paused RETURNING id
     )
     ${announcePipelines('id', 'paused')}`,
    [id, by],
  );
}

/** Who has paused a pipeline that was idle; the same name as in Concourse. */
const PAUSER = 'automatic-pipeline-pauser';

/**
 * Pauses the pipelines that were set, and whose jobs last ended a build, before the beginning of the day so many days ago.
 * A pipeline with a build that waits or runs is not paused (atc/db/pipeline_pauser.go). Returns their ids.
 */
export async function pauseIdlePipelines(db: Queryable, days: number): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `WITH idle AS (
     UPDATE pipeline p SET paused = true, paused_by = $2, paused_at = now()
     WHERE NOT p.paused AND NOT p.archived AND p.updated_at < current_date - make_interval(days => $1)
       AND NOT EXISTS (
         SELECT FROM job j LEFT JOIN build b ON b.id = j.latest_completed_build_id
         WHERE j.pipeline_id = p.id AND j.active
           AND (b.ended_at > current_date - make_interval(days => $1) OR j.next_build_id IS NOT NULL))
     RETURNING p.id)
     SELECT id, pg_notify('${CHANNELS.changes}', 'pipeline:' || id) FROM idle`,
    [days, PAUSER],
  );
  return rows.map(({ id }) => id);
}

/** Unpauses a pipeline; its jobs are scheduled and its resources checked again. An archived pipeline remains paused. */
export function unpausePipeline(db: Queryable, id: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      'UPDATE pipeline SET paused = false, paused_by = NULL, paused_at = NULL WHERE id = $1 AND NOT archived',
      [id],
    );
    if (rowCount === 0) return;
    await requestScheduleOfPipeline(tx, id);
    await notify(tx, 'checks', id);
    await announceChange(tx, `pipeline:${id}`);
  });
}

/** Makes a pipeline visible to everybody, or only to its team. */
export function exposePipeline(db: Queryable, id: number, everybody: boolean): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.query('UPDATE pipeline SET public = $2 WHERE id = $1', [id, everybody]);
    await announceChange(tx, 'pipelines');
  });
}

/** Renames a pipeline and all its instances. Returns false if no pipeline has this name. */
export async function renamePipeline(db: Queryable, teamId: number, name: string, newName: string): Promise<boolean> {
  try {
    return await inTransaction(db, async (tx) => {
      const { rowCount } = await tx.query('UPDATE pipeline SET name = $3 WHERE team_id = $1 AND name = $2', [
        teamId,
        name,
        newName,
      ]);
      if (rowCount === 0) return false;
      await announceChange(tx, 'pipelines');
      return true;
    });
  } catch (error) {
    if (codeOf(error) !== '23505') throw error;
    throw new DbError(
      'name-taken',
      `pipeline '${name}' cannot be renamed to '${newName}': another pipeline has that name`,
    );
  }
}

/** Deletes a pipeline with its builds, versions and everything else. */
export function destroyPipeline(db: Queryable, id: number): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(patiently('DELETE FROM pipeline WHERE id = $1', [id]));
    if (rowCount === 0) return false;
    await notify(tx, 'garbage', '');
    await announceChange(tx, 'pipelines');
    return true;
  });
}

/** Orders a team's pipelines by name. If a name is unknown, returns it and changes nothing. */
export function orderPipelines(db: Queryable, teamId: number, names: readonly string[]): Promise<string | undefined> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ name: string }>(
      `SELECT n.name FROM unnest($2::text[]) WITH ORDINALITY AS n (name, ordering)
       WHERE NOT EXISTS (SELECT FROM pipeline p WHERE p.team_id = $1 AND p.name = n.name) ORDER BY n.ordering LIMIT 1`,
      [teamId, names],
    );
    if (rows[0]) return rows[0].name;
    await tx.query(
      `UPDATE pipeline p SET ordering = n.ordering - 1
       FROM unnest($2::text[]) WITH ORDINALITY AS n (name, ordering) WHERE p.team_id = $1 AND p.name = n.name`,
      [teamId, names],
    );
    await announceChange(tx, 'pipelines');
    return undefined;
  });
}

/** Orders the instances of one name. If vars are unknown, returns them and changes nothing. */
export function orderInstances(
  db: Queryable,
  teamId: number,
  name: string,
  instances: readonly JsonObject[],
): Promise<JsonObject | undefined> {
  return inTransaction(db, async (tx) => {
    // Empty vars name the pipeline that is not an instance, as in Concourse.
    const texts = instances.map((vars) => (Object.keys(vars).length === 0 ? null : JSON.stringify(vars)));
    const { rows } = await tx.query<{ ordering: number; found: boolean }>(
      `SELECT i.ordering, p.id IS NOT NULL AS found FROM unnest($3::text[]) WITH ORDINALITY AS i (vars, ordering)
       LEFT JOIN pipeline p ON p.team_id = $1 AND p.name = $2 AND p.instance_key = coalesce(json_digest(i.vars::jsonb), '')
       ORDER BY i.ordering`,
      [teamId, name, texts],
    );
    const missing = rows.find(({ found }) => !found);
    if (missing) return instances[missing.ordering - 1];
    await tx.query(
      `UPDATE pipeline p SET secondary_ordering = i.ordering
       FROM unnest($3::text[]) WITH ORDINALITY AS i (vars, ordering)
       WHERE p.team_id = $1 AND p.name = $2 AND p.instance_key = coalesce(json_digest(i.vars::jsonb), '')`,
      [teamId, name, texts],
    );
    await announceChange(tx, 'pipelines');
    return undefined;
  });
}
