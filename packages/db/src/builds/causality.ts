import type { Version } from '@seaplane/config';
import type { BuildStatus } from '@seaplane/engine';
import type { Queryable } from '../queryable.ts';

export type CausalityDirection = 'downstream' | 'upstream';

export interface CausalityBuild {
  readonly id: number;
  readonly name: string;
  readonly status: BuildStatus;
  readonly jobId: number;
  readonly jobName: string;
}

/** A version that a build got or put. */
export interface CausalityUse {
  readonly as: 'input' | 'output';
  readonly buildId: number;
  readonly resourceId: number;
  readonly resourceName: string;
  readonly versionId: number;
  readonly version: Version;
}

export interface Causality {
  readonly builds: readonly CausalityBuild[];
  readonly uses: readonly CausalityUse[];
}

/** Concourse's limits (atc/db/resource.go): a graph of more is of no use to anybody. */
const MOST_BUILDS = 5_000;
const MOST_USES = 25_000;

/** The versions that builds got, without those that they put themselves. */
const GOT = `(SELECT i.build_id, i.resource_id, i.version_digest FROM build_input i WHERE NOT EXISTS (
  SELECT FROM build_output own
  WHERE own.build_id = i.build_id AND own.resource_id = i.resource_id AND own.version_digest = i.version_digest))`;

/**
 * Reads the builds that a version led to: those that got it, those that got what these put, and so on. Upstream: the
 * builds that led to the version, in the same way. The resource itself is not entered a second time.
 */
export async function readCausality(
  db: Queryable,
  resourceId: number,
  versionId: number,
  direction: CausalityDirection,
): Promise<Causality | 'too-many'> {
  const [near, far] = direction === 'downstream' ? [GOT, 'build_output'] : ['build_output', GOT];
  const reached = `
    WITH RECURSIVE reached AS (
      SELECT used.build_id FROM ${near} used
      JOIN resource_version v ON v.digest = used.version_digest
      JOIN resource own ON own.id = used.resource_id AND own.scope_id = v.scope_id
      WHERE used.resource_id = $1 AND v.id = $2
      UNION
      SELECT used.build_id FROM reached
      JOIN ${far} made ON made.build_id = reached.build_id
      JOIN ${near} used ON used.resource_id = made.resource_id AND used.version_digest = made.version_digest
      WHERE made.resource_id <> $1
    ), capped AS (SELECT build_id FROM reached LIMIT ${MOST_BUILDS + 1})`;
  const builds = await db.query<CausalityBuild>(
    `${reached}
     SELECT b.id, b.name, b.status, j.id AS "jobId", j.name AS "jobName"
     FROM capped JOIN build b ON b.id = capped.build_id JOIN job j ON j.id = b.job_id ORDER BY b.id`,
    [resourceId, versionId],
  );
  if (builds.rows.length > MOST_BUILDS) return 'too-many';
  const uses = await db.query<CausalityUse>(
    `${[
      ['input', GOT],
      ['output', 'build_output'],
    ]
      .map(
        ([as, table]) =>
          `SELECT DISTINCT '${as}' AS "as", used.build_id AS "buildId", r.id AS "resourceId", r.name AS "resourceName",
             v.id AS "versionId", v.version
           FROM ${table} used JOIN resource r ON r.id = used.resource_id
           JOIN resource_version v ON v.digest = used.version_digest AND v.scope_id = r.scope_id
           WHERE used.build_id = ANY ($1)`,
      )
      .join(' UNION ALL ')}
     ORDER BY "buildId", "versionId" LIMIT ${MOST_USES + 1}`,
    [builds.rows.map(({ id }) => id)],
  );
  if (uses.rows.length > MOST_USES) return 'too-many';
  return { builds: builds.rows, uses: uses.rows };
}
