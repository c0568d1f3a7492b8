import type { MetadataField, Version } from '@seaplane/config';
import { requestScheduleOfScope } from '../jobs/request-schedule.ts';
import { announceScope } from '../notifications/changes.ts';
import type { Queryable } from '../queryable.ts';

/**
 * Saves the versions of a check, oldest first. If at least one is new, all of them become the newest, in that order,
 * and the jobs that use the scope are scheduled. Otherwise nothing changes. Returns whether any version was new. The
 * caller's transaction has locked the scope's row, so that no two versions get the same place.
 */
export async function saveVersions(tx: Queryable, scopeId: number, versions: readonly Version[]): Promise<boolean> {
  const { rowCount } = await tx.query(
    `WITH found AS ( -- a version that was returned twice stands where it was last
       SELECT DISTINCT ON (json_digest(v.version::jsonb)) v.version::jsonb AS version, v.n
       FROM unnest($2::text[]) WITH ORDINALITY AS v (version, n)
       ORDER BY json_digest(v.version::jsonb), v.n DESC
     ), known AS (
       SELECT digest FROM resource_version WHERE scope_id = $1 AND digest IN (SELECT json_digest(version) FROM found)
     ), newest AS (
       SELECT coalesce(max(check_order), 0) AS check_order FROM resource_version WHERE scope_id = $1
     )
     INSERT INTO resource_version (scope_id, version, check_order)
     SELECT $1, found.version, newest.check_order + row_number() OVER (ORDER BY found.n)
     FROM found, newest WHERE (SELECT count(*) FROM known) < (SELECT count(*) FROM found)
     ON CONFLICT (scope_id, digest) DO UPDATE SET check_order = excluded.check_order`,
    [scopeId, versions.map((version) => JSON.stringify(version))],
  );
  if (!rowCount) return false;
  await requestScheduleOfScope(tx, scopeId);
  await announceScope(tx, scopeId);
  return true;
}

/**
 * Saves the version of a put. A version that was not known becomes the newest. Given metadata replaces earlier ones.
 */
export async function saveVersion(
  tx: Queryable,
  scopeId: number,
  version: Version,
  metadata: readonly MetadataField[],
): Promise<void> {
  const { rows } = await tx.query<{ new: boolean }>(
    `INSERT INTO resource_version (scope_id, version, metadata, check_order)
     SELECT $1, $2::jsonb, $3::json, coalesce(max(check_order), 0) + 1 FROM resource_version WHERE scope_id = $1
     ON CONFLICT (scope_id, digest) DO UPDATE SET metadata = coalesce(excluded.metadata, resource_version.metadata)
     RETURNING xmax = 0 AS new`,
    [scopeId, JSON.stringify(version), metadata.length === 0 ? null : JSON.stringify(metadata)],
  );
  if (!rows[0]?.new) return;
  await requestScheduleOfScope(tx, scopeId);
  await announceScope(tx, scopeId);
}

export async function latestVersion(db: Queryable, scopeId: number): Promise<Version | undefined> {
  const { rows } = await db.query<{ version: Version }>(
    'SELECT version FROM resource_version WHERE scope_id = $1 ORDER BY check_order DESC LIMIT 1',
    [scopeId],
  );
  return rows[0]?.version;
}

/** Saves the metadata that a get returned for a known version. */
export async function saveVersionMetadata(
  db: Queryable,
  resourceId: number,
  version: Version,
  metadata: readonly MetadataField[],
): Promise<void> {
  await db.query(
    `UPDATE resource_version v SET metadata = $3::json FROM resource r
     WHERE r.id = $1 AND v.scope_id = r.scope_id AND v.digest = json_digest($2::jsonb)`,
    [resourceId, JSON.stringify(version), JSON.stringify(metadata)],
  );
}
