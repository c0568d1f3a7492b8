import type { Queryable } from '../queryable.ts';
import { type Build, type BuildRow, SELECT_BUILDS, toBuild } from './build.ts';

export interface BuildFilter {
  /**
   * Selects builds of these teams and, with `orPublic`, of every public pipeline. If not given, builds of all teams.
   */
  readonly teamIds?: readonly number[];
  readonly orPublic?: boolean;
  readonly pipelineId?: number;
  readonly jobId?: number;
}

/** Ids, both inclusive. With `timestamps`, start times in seconds since 1970. */
export interface BuildRange {
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
  readonly timestamps?: boolean;
}

export interface BuildPage {
  readonly builds: readonly Build[];
  /** The next older build's id, for `to`; and the next newer one's, for `from`. */
  readonly older?: number;
  readonly newer?: number;
}

/**
 * Lists builds, newest first, a rerun beside its original. Checks that nobody asked for are left out. Pages work as in
 * Concourse (atc/db/build_factory.go): `to` lists downwards from an id, `from` upwards; both give a range, oldest
 * first.
 */
export async function listBuilds(db: Queryable, filter: BuildFilter, range: BuildRange): Promise<BuildPage> {
  const { from, to, limit, timestamps = false } = range;
  const up = from !== undefined;
  const { where, values } = conditions(filter);
  const column = timestamps ? 'b.started_at' : 'b.id';
  const bound = (value: number) => {
    const place = `$${values.push(value)}`;
    return timestamps ? `to_timestamp(${place})` : place;
  };
  const bounded = [...where];
  if (from !== undefined) bounded.push(`${column} >= ${bound(from)}`);
  if (to !== undefined) bounded.push(`${column} <= ${bound(to)}`);
  // The first condition implies this one, which lets PostgreSQL start in the index.
  if (to !== undefined && !timestamps) bounded.push(`b.ordering <= ${bound(to)}`);
  const direction = up && !timestamps ? 'ASC' : 'DESC';
  const { rows } = await db.query<BuildRow>(
    `${SELECT_BUILDS} WHERE ${bounded.join(' AND ')}
     ORDER BY b.ordering ${direction}, b.id ${direction} LIMIT $${values.push(limit)}`,
    values,
  );
  const builds = rows.map(toBuild);
  if (up && to === undefined && !timestamps) builds.reverse();
  return timestamps ? { builds } : { builds, ...(await neighbours(db, filter, builds)) };
}

function conditions({ teamIds, orPublic = false, pipelineId, jobId }: BuildFilter) {
  const where: string[] = [];
  const values: unknown[] = [];
  if (jobId !== undefined) where.push(`b.job_id = $${values.push(jobId)}`);
  else where.push('b.listed');
  if (pipelineId !== undefined) where.push(`b.pipeline_id = $${values.push(pipelineId)}`);
  if (teamIds !== undefined) {
    const ofTeams = `b.team_id = ANY($${values.push(teamIds)}::int[])`;
    where.push(orPublic ? `(${ofTeams} OR p.public)` : ofTeams);
  }
  return { where, values };
}

async function neighbours(
  db: Queryable,
  filter: BuildFilter,
  builds: readonly Build[],
): Promise<Pick<BuildPage, 'older' | 'newer'>> {
  const ids = builds.map(({ id }) => id);
  if (ids.length === 0) return {};
  const next = async (comparison: '<' | '>', id: number, direction: 'ASC' | 'DESC') => {
    const { where, values } = conditions(filter);
    const { rows } = await db.query<{ id: number }>(
      `SELECT b.id FROM build b LEFT JOIN pipeline p ON p.id = b.pipeline_id
       WHERE ${where.join(' AND ')} AND b.id ${comparison} $${values.push(id)}
         ${comparison === '<' ? `AND b.ordering < $${values.length}` : ''}
       ORDER BY b.ordering ${direction}, b.id ${direction} LIMIT 1`,
      values,
    );
    return rows[0]?.id;
  };
  const older = await next('<', builds.at(-1)?.id ?? 0, 'DESC');
  const newer = await next('>', builds[0]?.id ?? 0, 'ASC');
  return { ...(older !== undefined && { older }), ...(newer !== undefined && { newer }) };
}
