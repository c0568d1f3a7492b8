import type { Queryable } from '@seaplane/db';
import type { BuildFilter, PlaceOfBuild, VersionOfResource, VouchingBuild } from './history.ts';

/** Most searches end at the first builds. A search that goes on reads more at a time. */
const FIRST_PAGE = 4;
const GROWTH = 4;
const LARGEST_PAGE = 4096;
/** From this size on, builds whose versions other jobs do not vouch for are left out by the database. */
const FILTERED_PAGE = 256;

interface BuildRow {
  readonly id: number;
  readonly rerunOf: number | null;
  readonly outputs: Record<string, string[]>;
}

/** See `History.successfulBuilds`. */
export async function* successfulBuilds(
  db: Queryable,
  jobId: number,
  filter: BuildFilter,
): AsyncGenerator<VouchingBuild[]> {
  for await (const { builds } of pages(db, jobId, filter, 'newest first')) yield builds;
}

/** See `History.unusedBuilds`. */
export async function* unusedBuilds(
  db: Queryable,
  jobId: number,
  after: PlaceOfBuild,
  filter: BuildFilter,
): AsyncGenerator<VouchingBuild[]> {
  // A rerun of the last used build would offer the same version again, for ever.
  const from = after.rerunOf === null ? { ordering: after.id, id: null } : { ordering: after.rerunOf, id: after.id };
  for await (const { builds, more } of pages(db, jobId, filter, 'oldest first', from)) {
    yield builds.map((build, index) => ({ ...build, hasNext: more || index < builds.length - 1 }));
  }
  const itself = { ordering: after.rerunOf ?? after.id, id: after.id, inclusive: true };
  for await (const { builds } of pages(db, jobId, filter, 'newest first', itself)) yield builds;
}

interface Boundary {
  readonly ordering: number;
  /** Null: after all builds with this ordering. */
  readonly id: number | null;
  readonly inclusive?: boolean;
}

/** Yields builds in order, a page at a time, from the boundary on. `more` tells whether builds follow the page. */
async function* pages(
  db: Queryable,
  jobId: number,
  filter: BuildFilter,
  direction: 'newest first' | 'oldest first',
  boundary?: Boundary,
): AsyncGenerator<{ builds: VouchingBuild[]; more: boolean }> {
  let from = boundary;
  for (let size = FIRST_PAGE; ; size = Math.min(size * GROWTH, LARGEST_PAGE)) {
    const { rows } = await db.query<BuildRow>(pageQuery(jobId, filter, direction, from, size));
    const builds = rows.slice(0, size).map(vouchingBuild);
    const more = rows.length > size;
    if (builds.length > 0) yield { builds, more };
    const last = rows[size - 1];
    if (!more || !last) return;
    from = { ordering: last.rerunOf ?? last.id, id: last.id };
  }
}

/** Asks for one build more than a page has. */
function pageQuery(
  jobId: number,
  { having, agreeing, vouchedBy }: BuildFilter,
  direction: 'newest first' | 'oldest first',
  from: Boundary | undefined,
  size: number,
): { text: string; values: unknown[] } {
  const [comparison, order] = direction === 'newest first' ? ['<', 'DESC'] : ['>', 'ASC'];
  const values: unknown[] = [jobId];
  const value = (each: unknown) => `$${values.push(each)}`;
  const conditions = ['build.job_id = $1'];
  // One JSON value for all, so that the index on `outputs` is used.
  if (having.length > 0) conditions.push(`build.outputs @> ${value(JSON.stringify(byResource(having)))}`);
  for (const { resourceId, digest } of agreeing) {
    conditions.push(`coalesce(build.outputs -> ${value(String(resourceId))} ->> 0 = ${value(digest)}, true)`);
  }
  if (from?.id === null) conditions.push(`build.ordering ${comparison} ${value(from.ordering)}::bigint`);
  else if (from) {
    const place = `(${value(from.ordering)}::bigint, ${value(from.id)}::bigint)`;
    conditions.push(`(build.ordering, build.build_id) ${comparison}${from.inclusive ? '=' : ''} ${place}`);
  }
  const where = `WHERE ${conditions.join(' AND ')}`;
  const rest = `ORDER BY build.ordering ${order}, build.build_id ${order} LIMIT ${size + 1}`;
  const columns = 'SELECT build.build_id AS id, build.rerun_of AS "rerunOf", build.outputs';
  if (!vouchedBy || vouchedBy.jobs.length === 0 || size < FILTERED_PAGE) {
    return { text: `${columns} FROM successful_build_output build ${where} ${rest}`, values };
  }
  const resource = value(String(vouchedBy.resourceId));
  const jobs = value(vouchedBy.jobs);
  // Joins, because PostgreSQL can do them with hash tables: each build is read once, however many there are.
  const text = `
    WITH vouched AS MATERIALIZED (
      SELECT digest
      FROM successful_build_output other, jsonb_array_elements_text(other.outputs -> ${resource}) digest
      WHERE other.job_id = ANY (${jobs}::int[])
      GROUP BY digest HAVING count(DISTINCT other.job_id) = ${vouchedBy.jobs.length}
    ), fitting AS MATERIALIZED (
      SELECT DISTINCT build.build_id
      FROM successful_build_output build, jsonb_array_elements_text(build.outputs -> ${resource}) own(digest)
      JOIN vouched USING (digest)
      ${where}
    )
    ${columns} FROM fitting JOIN successful_build_output build USING (build_id) ${rest}`;
  return { text, values };
}

function byResource(versions: readonly VersionOfResource[]): Record<string, string[]> {
  const groups = Map.groupBy(versions, ({ resourceId }) => resourceId);
  return Object.fromEntries([...groups].map(([id, group]) => [id, group.map(({ digest }) => digest)]));
}

function vouchingBuild({ id, outputs }: BuildRow): VouchingBuild {
  return { id, outputs: new Map(Object.entries(outputs).map(([key, digests]) => [Number(key), digests])) };
}
