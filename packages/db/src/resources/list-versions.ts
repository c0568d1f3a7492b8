import type { MetadataField, Version } from '@seaplane/config';
import { fromRow, type Row } from '../from-row.ts';
import type { Queryable } from '../queryable.ts';

export interface ResourceVersion {
  readonly id: number;
  readonly version: Version;
  readonly metadata?: readonly MetadataField[];
  readonly enabled: boolean;
}

/** Ids of versions, both inclusive. */
export interface VersionRange {
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
}

export interface VersionPage {
  readonly versions: readonly ResourceVersion[];
  /** The next older version's id, for `to`; and the next newer one's, for `from`. */
  readonly older?: number;
  readonly newer?: number;
}

/** Not a join: the versions of one known scope are read in the order of the index, and no more than are wanted. */
const OF_RESOURCE = 'v.scope_id = (SELECT scope_id FROM resource WHERE id = $1)';

/** Lists the versions of a resource that contain `filter`, newest first. */
export async function listVersions(
  db: Queryable,
  resourceId: number,
  filter: Version,
  { from, to, limit }: VersionRange,
): Promise<VersionPage> {
  const up = from !== undefined;
  const bound = up ? '>=' : '<=';
  const direction = up ? 'ASC' : 'DESC';
  const { rows } = await db.query<Row<ResourceVersion> & { check_order: number }>(
    `SELECT v.id, v.version, v.metadata, v.check_order,
       NOT EXISTS (SELECT FROM resource_disabled_version d WHERE d.resource_id = $1 AND d.version_digest = v.digest)
         AS enabled
     FROM resource_version v
     WHERE ${OF_RESOURCE} AND v.version @> $2::jsonb
       AND ($3::bigint IS NULL OR v.check_order ${bound} (SELECT check_order FROM resource_version WHERE id = $3))
     ORDER BY v.check_order ${direction} LIMIT $4`,
    [resourceId, JSON.stringify(filter), from ?? to, limit],
  );
  const ordered = up ? rows.reverse() : rows;
  const older = await neighbour(db, resourceId, '<', ordered.at(-1)?.check_order);
  const newer = await neighbour(db, resourceId, '>', ordered[0]?.check_order);
  return {
    versions: ordered.map(({ check_order: _, ...row }) => fromRow<ResourceVersion>(row)),
    ...(older !== undefined && { older }),
    ...(newer !== undefined && { newer }),
  };
}

async function neighbour(db: Queryable, resourceId: number, comparison: '<' | '>', order: number | undefined) {
  if (order === undefined) return undefined;
  const { rows } = await db.query<{ id: number }>(
    `SELECT v.id FROM resource_version v
     WHERE ${OF_RESOURCE} AND v.check_order ${comparison} $2
     ORDER BY v.check_order ${comparison === '<' ? 'DESC' : 'ASC'} LIMIT 1`,
    [resourceId, order],
  );
  return rows[0]?.id;
}

/** Finds a version of a resource by its id. */
export async function findVersion(
  db: Queryable,
  resourceId: number,
  versionId: number,
): Promise<ResourceVersion | undefined> {
  const { versions } = await listVersions(db, resourceId, {}, { to: versionId, limit: 1 });
  return versions[0]?.id === versionId ? versions[0] : undefined;
}
