import type { Queryable } from '../queryable.ts';
import { type Build, type BuildRow, SELECT_BUILDS, toBuild } from './build.ts';

const MOST = 100;

/** Lists builds that got or put a version of a resource, newest first. */
export async function listBuildsWithVersion(
  db: Queryable,
  as: 'input' | 'output',
  resourceId: number,
  versionId: number,
): Promise<Build[]> {
  const { rows } = await db.query<BuildRow>(
    `${SELECT_BUILDS}
     WHERE EXISTS (
       SELECT FROM build_${as} used JOIN resource_version v ON v.digest = used.version_digest
       JOIN resource own ON own.id = used.resource_id AND own.scope_id = v.scope_id
       WHERE used.build_id = b.id AND used.resource_id = $1 AND v.id = $2)
     ORDER BY b.id DESC LIMIT ${MOST}`,
    [resourceId, versionId],
  );
  return rows.map(toBuild);
}
