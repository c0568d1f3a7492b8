import type { Version } from '@seaplane/config';
import type { Queryable } from '../queryable.ts';

export interface BuildInput {
  readonly name: string;
  readonly resourceId: number;
  readonly version: Version;
  readonly firstOccurrence: boolean;
}

export interface BuildOutput {
  readonly name: string;
  readonly resourceId: number;
  readonly version: Version;
}

/** The versions a build put, and those it got, without the ones it put itself. */
export async function readBuildResources(
  db: Queryable,
  buildId: number,
): Promise<{ readonly inputs: readonly BuildInput[]; readonly outputs: readonly BuildOutput[] }> {
  const inputs = await db.query<BuildInput>(
    `SELECT i.name, i.resource_id AS "resourceId", i.version, i.first_occurrence AS "firstOccurrence"
     FROM build_input i
     WHERE i.build_id = $1 AND NOT EXISTS (
       SELECT FROM build_output o
       WHERE o.build_id = $1 AND o.resource_id = i.resource_id AND o.version_digest = i.version_digest)
     ORDER BY i.name`,
    [buildId],
  );
  const outputs = await db.query<BuildOutput>(
    'SELECT name, resource_id AS "resourceId", version FROM build_output WHERE build_id = $1 ORDER BY name, version_digest',
    [buildId],
  );
  return { inputs: inputs.rows, outputs: outputs.rows };
}
