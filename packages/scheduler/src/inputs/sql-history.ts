import type { Version } from '@seaplane/config';
import type { Queryable } from '@seaplane/db';
import type { History, VersionOfResource, VouchingBuild } from './history.ts';

const PAGE = 100;

/** The history in the database. */
export function sqlHistory(db: Queryable): History {
  return {
    latest: (resourceId) => latest(db, resourceId),
    matching: (resourceId, fields) => matching(db, resourceId, fields),
    nextUnused: (jobId, resourceId) => nextUnused(db, jobId, resourceId),
    isUsable: (resourceId, digest) => isUsable(db, resourceId, digest),
    contains: (resourceId, digest, fields) => contains(db, resourceId, digest, fields),
    successfulBuilds: (jobId, having) => successfulBuilds(db, jobId, having),
    unusedBuilds: (jobId, forJob, having) => unusedBuilds(db, jobId, forJob, having),
  };
}

/**
 * Versions of a resource's present scope. Not a join: for one known scope PostgreSQL reads the newest versions from the
 * index instead of reading and sorting all of them.
 */
const VERSIONS = `
  SELECT version.digest, version.check_order
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

/** Disabled ones count: a pin is somebody's explicit wish. */
async function matching(db: Queryable, resourceId: number, fields: Version): Promise<string | undefined> {
  const { rows } = await db.query<{ digest: string }>(
    `${VERSIONS} AND version.version @> $2 ORDER BY check_order DESC LIMIT 1`,
    [resourceId, JSON.stringify(fields)],
  );
  return rows[0]?.digest;
}

async function nextUnused(db: Queryable, jobId: number, resourceId: number) {
  // Goes from the newest version down to the first used one, which is near, and not through all used versions.
  const { rows: used } = await db.query<{ check_order: number }>(
    `${VERSIONS} AND EXISTS (
       SELECT FROM build_input input
       WHERE input.job_id = $2 AND input.resource_id = $1 AND input.version_digest = version.digest)
     ORDER BY check_order DESC LIMIT 1`,
    [resourceId, jobId],
  );
  const newest = used[0]?.check_order;
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

async function isUsable(db: Queryable, resourceId: number, digest: string): Promise<boolean> {
  const { rowCount } = await db.query(`SELECT FROM (${ENABLED}) enabled WHERE digest = $2`, [resourceId, digest]);
  return rowCount === 1;
}

async function contains(db: Queryable, resourceId: number, digest: string, fields: Version): Promise<boolean> {
  const { rowCount } = await db.query(`${VERSIONS} AND version.digest = $2 AND version.version @> $3`, [
    resourceId,
    digest,
    JSON.stringify(fields),
  ]);
  return rowCount === 1;
}

interface BuildRow {
  readonly build_id: number;
  readonly ordering: number;
  readonly outputs: Record<string, string[]>;
}

async function* successfulBuilds(
  db: Queryable,
  jobId: number,
  having: readonly VersionOfResource[],
): AsyncGenerator<VouchingBuild> {
  yield* pages(db, 'newest first', jobId, having);
}

async function* unusedBuilds(
  db: Queryable,
  jobId: number,
  forJob: number,
  having: readonly VersionOfResource[],
): AsyncGenerator<VouchingBuild> {
  const { rows } = await db.query<Pick<BuildRow, 'ordering' | 'build_id'>>(
    `SELECT used.ordering, used.id AS build_id
     FROM build used
     WHERE used.job_id = $2 AND EXISTS (
       SELECT FROM build_pipe pipe JOIN build own ON own.id = pipe.to_build_id
       WHERE pipe.from_build_id = used.id AND own.job_id = $1)
     ORDER BY used.ordering DESC, used.id DESC LIMIT 1`,
    [forJob, jobId],
  );
  const from = rows[0];
  if (!from) return yield* pages(db, 'newest first', jobId, having);
  let previous: VouchingBuild | undefined;
  for await (const build of pages(db, 'oldest first', jobId, having, from)) {
    if (previous) yield { ...previous, hasNext: true };
    previous = build;
  }
  if (previous) yield { ...previous, hasNext: false };
  yield* pages(db, 'newest first', jobId, having, from, 'and itself');
}

/** Yields builds in order, a page at a time. Starts after `from`, or at `from` if `itself` is given. */
async function* pages(
  db: Queryable,
  direction: 'newest first' | 'oldest first',
  jobId: number,
  having: readonly VersionOfResource[],
  from?: Pick<BuildRow, 'ordering' | 'build_id'>,
  itself?: 'and itself',
): AsyncGenerator<VouchingBuild> {
  const [comparison, order] = direction === 'newest first' ? ['<', 'DESC'] : ['>', 'ASC'];
  const wanted = Map.groupBy(having, ({ resourceId }) => resourceId);
  // One JSON value for all, so that the index on `outputs` is used.
  const outputs = Object.fromEntries([...wanted].map(([id, versions]) => [id, versions.map(({ digest }) => digest)]));
  let at = from;
  let inclusive = itself !== undefined;
  for (;;) {
    const { rows } = await db.query<BuildRow>(
      `SELECT build_id, ordering, outputs
       FROM successful_build_output
       WHERE job_id = $1
         AND outputs @> $2
         AND ($3::bigint IS NULL OR (ordering, build_id) ${comparison}${inclusive ? '=' : ''} ($3, $4::bigint))
       ORDER BY ordering ${order}, build_id ${order}
       LIMIT ${PAGE}`,
      [jobId, JSON.stringify(outputs), at?.ordering ?? null, at?.build_id ?? null],
    );
    for (const row of rows) yield vouchingBuild(row);
    if (rows.length < PAGE) return;
    at = rows.at(-1);
    inclusive = false;
  }
}

function vouchingBuild({ build_id, outputs }: BuildRow): VouchingBuild {
  const byResource = Object.entries(outputs).map(([resourceId, digests]) => [Number(resourceId), digests] as const);
  return { id: build_id, outputs: new Map(byResource) };
}
