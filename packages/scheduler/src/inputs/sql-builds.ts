import type { Queryable } from '@seaplane/db';
import type { BuildFilter, PlaceOfBuild, VersionOfResource, VouchingBuild } from './history.ts';

/** Most searches end at the first builds. A search that goes on reads more at a time. */
const FIRST_PAGE = 4;
const GROWTH = 4;
const LARGEST_PAGE = 4096;
/** From this size on, builds whose versions other jobs do not vouch for are left out by the database. */
const FILTERED_PAGE = 256;
/** Up to so many versions that the other jobs vouch for, builds are looked up by version. */
const FEW_VERSIONS = 100;

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
  let vouched: readonly string[] | 'many' | undefined;
  for (let size = FIRST_PAGE; ; size = Math.min(size * GROWTH, LARGEST_PAGE)) {
    if (size >= FILTERED_PAGE && filter.vouchedBy?.jobs.length) vouched ??= await vouchedVersions(db, filter.vouchedBy);
    if (vouched?.length === 0) return;
    const { rows } = await db.query<BuildRow>(pageQuery(jobId, filter, direction, from, size, vouched));
    const builds = rows.slice(0, size).map(vouchingBuild);
    const more = rows.length > size;
    if (builds.length > 0) yield { builds, more };
    const last = rows[size - 1];
    if (!more || !last) return;
    from = { ordering: last.rerunOf ?? last.id, id: last.id };
  }
}

/** The versions that all of these jobs vouch for. */
async function vouchedVersions(
  db: Queryable,
  { resourceId, jobs }: NonNullable<BuildFilter['vouchedBy']>,
): Promise<readonly string[] | 'many'> {
  const { rows } = await db.query<{ digest: string }>(
    `SELECT digest FROM ${vouchedBy('$1', '$2', jobs.length)} vouched LIMIT ${FEW_VERSIONS + 1}`,
    [String(resourceId), jobs],
  );
  return rows.length > FEW_VERSIONS ? 'many' : rows.map(({ digest }) => digest);
}

function vouchedBy(resource: string, jobs: string, count: number): string {
  return `(
      SELECT digest
      FROM successful_build_output other, jsonb_array_elements_text(other.outputs -> ${resource}) digest
      WHERE other.job_id = ANY (${jobs}::int[])
      GROUP BY digest HAVING count(DISTINCT other.job_id) = ${count}
    )`;
}

/** Asks for one build more than a page has. */
function pageQuery(
  jobId: number,
  { having, agreeing, vouchedBy: by }: BuildFilter,
  direction: 'newest first' | 'oldest first',
  from: Boundary | undefined,
  size: number,
  vouched: readonly string[] | 'many' | undefined,
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
  if (!by || vouched === undefined) {
    return { text: `${columns} FROM successful_build_output build ${where} ${rest}`, values };
  }
  const resource = value(String(by.resourceId));
  // Each statement forces its way: by the index on `outputs` for few versions; else by hash tables, which read each build
  // once, however many there are.
  const fitting =
    vouched === 'many'
      ? `SELECT DISTINCT build.build_id
         FROM successful_build_output build, jsonb_array_elements_text(build.outputs -> ${resource}) own(digest)
         JOIN vouched USING (digest)
         ${where}`
      : `SELECT DISTINCT build.build_id FROM unnest(${value(vouched)}::text[]) AS vouched(digest), LATERAL (
           SELECT build.build_id FROM successful_build_output build
           ${where} AND build.outputs @> jsonb_build_object(${resource}::text, jsonb_build_array(digest)) OFFSET 0
         ) build`;
  const many =
    vouched === 'many' ? `vouched AS MATERIALIZED ${vouchedBy(resource, value(by.jobs), by.jobs.length)},` : '';
  const text = `
    WITH ${many} fitting AS MATERIALIZED (${fitting})
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
