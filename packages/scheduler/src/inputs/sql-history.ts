import type { Version } from '@seaplane/config';
import type { Queryable } from '@seaplane/db';
import type { History, PlaceOfBuild } from './history.ts';
import { successfulBuilds, unusedBuilds } from './sql-builds.ts';

/** How many of the newest versions are searched before all of them are. */
const NEWEST = 100;
/** How many of a job's builds with one version are asked where they came from. */
const OWN_BUILDS = 50;

/** The history in the database. */
export function sqlHistory(db: Queryable): History {
  return {
    latest: (resourceId) => latest(db, resourceId),
    matching: (resourceId, fields) => matching(db, resourceId, fields),
    nextUnused: (jobId, resourceId) => nextUnused(db, jobId, resourceId),
    usable: (resourceId, digests) => usable(db, resourceId, digests),
    haveSucceeded: (jobIds) => haveSucceeded(db, jobIds),
    lastUsedBuilds: (jobId, resourceId) => lastUsedBuilds(db, jobId, resourceId),
    successfulBuilds: (jobId, filter) => successfulBuilds(db, jobId, filter),
    unusedBuilds: (jobId, after, filter) => unusedBuilds(db, jobId, after, filter),
  };
}

/**
 * Versions of a resource's present scope. Not a join: for one known scope PostgreSQL reads the newest versions from the
 * index instead of reading and sorting all of them.
 */
const VERSIONS = `
  SELECT version.digest, version.version, version.check_order
  FROM resource_version version
  WHERE version.scope_id = (SELECT scope_id FROM resource WHERE id = $1)`;

/** Those that are not disabled. */
const ENABLED = `
  ${VERSIONS} AND NOT EXISTS (
    SELECT FROM resource_disabled_version disabled
    WHERE disabled.resource_id = $1 AND disabled.version_digest = version.digest)`;

async function latest(db: Queryable, resourceId: number): Promise<string | undefined> {
  const { rows } = await db.query<{ digest: string }>(`${ENABLED} ORDER BY check_order DESC LIMIT 1`, [resourceId]);
  return rows[0]?.digest;
}

/**
 * Disabled ones count: a pin is somebody's explicit wish. A whole version is found by its digest, a common part of
 * versions among the newest, and everything else by the index on versions.
 */
async function matching(db: Queryable, resourceId: number, fields: Version): Promise<string | undefined> {
  const values = [resourceId, JSON.stringify(fields)];
  const { rows } = await db.query<{ digest: string }>(
    `SELECT digest FROM (
       (SELECT digest, 1 AS rank, 0::bigint AS check_order FROM (${VERSIONS}) v WHERE digest = json_digest($2::jsonb))
       UNION ALL
       (SELECT digest, 2, check_order
        FROM (${VERSIONS} ORDER BY check_order DESC LIMIT ${NEWEST}) v WHERE version @> $2
        ORDER BY check_order DESC LIMIT 1)
     ) found ORDER BY rank LIMIT 1`,
    values,
  );
  if (rows[0]) return rows[0].digest;
  const { rows: rest } = await db.query<{ digest: string }>(
    `WITH fitting AS MATERIALIZED (${VERSIONS} AND version.version @> $2)
     SELECT digest FROM fitting ORDER BY check_order DESC LIMIT 1`,
    values,
  );
  return rest[0]?.digest;
}

async function nextUnused(db: Queryable, jobId: number, resourceId: number) {
  const newest = (await newestUsed(db, jobId, resourceId))?.check_order;
  if (newest === undefined) {
    const digest = await latest(db, resourceId);
    return digest === undefined ? undefined : { digest, hasNext: false };
  }
  const newer = await db.query<{ digest: string }>(
    `SELECT digest FROM (${ENABLED}) enabled WHERE check_order > $2 ORDER BY check_order LIMIT 2`,
    [resourceId, newest],
  );
  if (newer.rows[0]) return { digest: newer.rows[0].digest, hasNext: newer.rows.length > 1 };
  const older = await db.query<{ digest: string }>(
    `SELECT digest FROM (${ENABLED}) enabled WHERE check_order <= $2 ORDER BY check_order DESC LIMIT 1`,
    [resourceId, newest],
  );
  return older.rows[0] && { digest: older.rows[0].digest, hasNext: false };
}

/**
 * The newest version that a build of the job has used. It is usually among the newest versions. If the job is far
 * behind, the versions it has used are fewer than those it has not.
 */
async function newestUsed(
  db: Queryable,
  jobId: number,
  resourceId: number,
): Promise<{ readonly digest: string; readonly check_order: number } | undefined> {
  const { rows } = await db.query<{ digest: string; check_order: number }>(
    // Not EXISTS: the planner may answer it by reading everything that the job has ever used.
    `SELECT digest, check_order FROM (${VERSIONS} ORDER BY check_order DESC LIMIT ${NEWEST}) version
     WHERE (SELECT input.build_id FROM build_input input
       WHERE input.job_id = $2 AND input.resource_id = $1 AND input.version_digest = version.digest LIMIT 1) IS NOT NULL
     ORDER BY check_order DESC LIMIT 1`,
    [resourceId, jobId],
  );
  if (rows[0]) return rows[0];
  const { rows: older } = await db.query<{ digest: string; check_order: number }>(
    `WITH used AS MATERIALIZED (
       SELECT DISTINCT version_digest AS digest FROM build_input WHERE job_id = $2 AND resource_id = $1
     ), known AS MATERIALIZED ( -- or the planner would walk all versions in their order
       SELECT digest, check_order FROM used JOIN (${VERSIONS}) version USING (digest)
     )
     SELECT digest, check_order FROM known ORDER BY check_order DESC LIMIT 1`,
    [resourceId, jobId],
  );
  return older[0];
}

async function usable(db: Queryable, resourceId: number, digests: readonly string[]): Promise<Set<string>> {
  const { rows } = await db.query<{ digest: string }>(`SELECT digest FROM (${ENABLED}) v WHERE digest = ANY ($2)`, [
    resourceId,
    digests,
  ]);
  return new Set(rows.map(({ digest }) => digest));
}

async function haveSucceeded(db: Queryable, jobIds: readonly number[]): Promise<boolean> {
  const { rows } = await db.query<{ all: boolean }>(
    // Not EXISTS, and with the order of an index: otherwise the planner may answer it by reading all builds.
    `SELECT coalesce(bool_and((
       SELECT build_id FROM successful_build_output WHERE job_id = id
       ORDER BY ordering DESC, build_id DESC LIMIT 1) IS NOT NULL), true) AS all
     FROM unnest($1::int[]) id`,
    [jobIds],
  );
  return rows[0]?.all ?? true;
}

async function lastUsedBuilds(
  db: Queryable,
  jobId: number,
  resourceId: number,
): Promise<Map<number, PlaceOfBuild> | undefined> {
  const newest = await newestUsed(db, jobId, resourceId);
  if (!newest) return undefined;
  const { rows } = await db.query<PlaceOfBuild & { jobId: number }>(
    `WITH own AS MATERIALIZED (
       SELECT build_id FROM build_input
       WHERE resource_id = $2 AND version_digest = $3 AND job_id = $1
       ORDER BY build_id DESC LIMIT ${OWN_BUILDS}
     )
     SELECT DISTINCT ON (used.job_id) used.job_id AS "jobId", used.id, used.rerun_of AS "rerunOf"
     FROM own
     JOIN build_pipe pipe ON pipe.to_build_id = own.build_id
     JOIN build used ON used.id = pipe.from_build_id
     ORDER BY used.job_id, used.ordering DESC, used.id DESC`,
    [jobId, resourceId, newest.digest],
  );
  return new Map(rows.map(({ jobId: from, id, rerunOf }) => [from, { id, rerunOf }]));
}
