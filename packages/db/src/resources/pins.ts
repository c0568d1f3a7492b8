import { requestScheduleOfResource, requestScheduleOfScope } from '../jobs/request-schedule.ts';
import { announceResource, announceScope } from '../notifications/changes.ts';
import { inTransaction, patiently, type Queryable } from '../queryable.ts';

/** `unknown`: the resource has no such version. `in-config`: its configuration pins it, which the API cannot change. */
export type PinResult = 'done' | 'unknown' | 'in-config';

/** Pins a resource to one of its versions, by the version's id. The comment of an earlier pin is kept. */
export function pinVersion(db: Queryable, resourceId: number, versionId: number): Promise<PinResult> {
  return inTransaction(db, async (tx) => {
    if (await isPinnedInConfig(tx, resourceId)) return 'in-config';
    const { rowCount } = await tx.query(
      `INSERT INTO resource_pin (resource_id, version, in_config)
       SELECT r.id, v.version, false FROM resource r JOIN resource_version v ON v.scope_id = r.scope_id
       WHERE r.id = $1 AND v.id = $2
       ON CONFLICT (resource_id) DO UPDATE SET version = excluded.version`,
      [resourceId, versionId],
    );
    if (rowCount === 0) return 'unknown';
    await requestScheduleOfResource(tx, resourceId);
    await announceResource(tx, resourceId);
    return 'done';
  });
}

export function unpin(db: Queryable, resourceId: number): Promise<PinResult> {
  return inTransaction(db, async (tx) => {
    if (await isPinnedInConfig(tx, resourceId)) return 'in-config';
    const { rowCount } = await tx.query('DELETE FROM resource_pin WHERE resource_id = $1', [resourceId]);
    if (rowCount === 0) return 'unknown';
    await requestScheduleOfResource(tx, resourceId);
    await announceResource(tx, resourceId);
    return 'done';
  });
}

async function isPinnedInConfig(tx: Queryable, resourceId: number): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM resource_pin WHERE resource_id = $1 AND in_config FOR UPDATE', [
    resourceId,
  ]);
  return rowCount === 1;
}

/** Returns false if the resource is not pinned. */
export function setPinComment(db: Queryable, resourceId: number, comment: string): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query('UPDATE resource_pin SET comment = $2 WHERE resource_id = $1', [
      resourceId,
      comment,
    ]);
    if (rowCount !== 1) return false;
    await announceResource(tx, resourceId);
    return true;
  });
}

/** Enables or disables a version. Returns false if the resource has no such version. */
export function enableVersion(
  db: Queryable,
  resourceId: number,
  versionId: number,
  enabled: boolean,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ digest: string }>(
      'SELECT v.digest FROM resource r JOIN resource_version v ON v.scope_id = r.scope_id WHERE r.id = $1 AND v.id = $2',
      [resourceId, versionId],
    );
    const digest = rows[0]?.digest;
    if (digest === undefined) return false;
    await tx.query(
      enabled
        ? 'DELETE FROM resource_disabled_version WHERE resource_id = $1 AND version_digest = $2'
        : `INSERT INTO resource_disabled_version (resource_id, version_digest) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
      [resourceId, digest],
    );
    await requestScheduleOfResource(tx, resourceId);
    await announceResource(tx, resourceId);
    return true;
  });
}

/** Deletes every version of a resource's history. Returns how many there were. */
export function clearVersions(db: Queryable, scopeId: number): Promise<number> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(patiently('DELETE FROM resource_version WHERE scope_id = $1', [scopeId]));
    await requestScheduleOfScope(tx, scopeId);
    await announceScope(tx, scopeId);
    return rowCount ?? 0;
  });
}
