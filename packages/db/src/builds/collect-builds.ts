import type { Queryable } from '../queryable.ts';

/**
 * Deletes checks that ended at least `graceMs` ago. The last check of each resource, type and prototype is kept,
 * because its state and log are shown. The grace period lets the user who asked for a check read its log, and lets
 * `dueChecks` see when a check that left no history was made. Deletes at most `limit` checks and returns how many, so
 * that the caller can repeat until there are none.
 */
export async function deleteOldChecks(db: Queryable, graceMs: number, limit = 500): Promise<number> {
  const { rowCount } = await db.query(
    `DELETE FROM build WHERE id = ANY(ARRAY(
       SELECT b.id FROM build b
       WHERE b.is_check AND b.status NOT IN ('pending', 'started') AND NOT b.interceptible
         AND b.ended_at <= now() - make_interval(secs => $2)
         AND NOT EXISTS (SELECT FROM resource_scope s WHERE s.last_check_build_id = b.id)
         AND (b.resource_id IS NOT NULL
           OR EXISTS (SELECT FROM build later WHERE later.resource_type_id = b.resource_type_id AND later.id > b.id)
           OR EXISTS (SELECT FROM build later WHERE later.prototype_id = b.prototype_id AND later.id > b.id))
       ORDER BY b.id LIMIT $1))`,
    [limit, graceMs / 1000],
  );
  return rowCount ?? 0;
}

/** Deletes configurations and version histories that nothing refers to any more. */
export async function deleteUnusedConfigs(db: Queryable, idleMs: number): Promise<void> {
  await db.query(
    `DELETE FROM resource_scope s
     WHERE s.resource_id IS NULL AND coalesce(s.last_check_ended_at, s.last_check_started_at) < now() - make_interval(secs => $1)
       AND NOT EXISTS (SELECT FROM resource r WHERE r.scope_id = s.id)
       AND NOT EXISTS (SELECT FROM resource_type t WHERE t.scope_id = s.id)
       AND NOT EXISTS (SELECT FROM prototype t WHERE t.scope_id = s.id)`,
    [idleMs / 1000],
  );
  await db.query(
    `DELETE FROM resource_config c
     WHERE c.created_at < now() - make_interval(secs => $1)
       AND NOT EXISTS (SELECT FROM resource_scope s WHERE s.resource_config_id = c.id)`,
    [idleMs / 1000],
  );
}
