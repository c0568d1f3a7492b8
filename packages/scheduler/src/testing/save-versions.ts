import type { Queryable } from '@seaplane/db';

/** Gives a resource the versions `{ v }`, oldest first, as a check that has just ended does. */
export async function saveVersions(db: Queryable, resourceId: number, versions: readonly string[]): Promise<void> {
  const { rows } = await db.query<{ id: number }>(
    `WITH config AS (
       INSERT INTO resource_config (parent, source_digest) VALUES ('base:mock', $1::text)
       ON CONFLICT (parent, source_digest) DO UPDATE SET parent = excluded.parent RETURNING id
     )
     INSERT INTO resource_scope (resource_config_id, resource_id, last_check_succeeded, last_check_ended_at, next_check_at)
     SELECT id, $1::int, true, now(), now() + interval '1 hour' FROM config
     ON CONFLICT (resource_config_id, resource_id) DO UPDATE SET last_check_ended_at = clock_timestamp() RETURNING id`,
    [resourceId],
  );
  const scopeId = rows[0]?.id;
  await db.query('UPDATE resource SET scope_id = $2 WHERE id = $1', [resourceId, scopeId]);
  for (const [index, v] of versions.entries()) {
    await db.query(
      `INSERT INTO resource_version (scope_id, version, check_order) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
      [scopeId, JSON.stringify({ v }), index + 1],
    );
  }
}
