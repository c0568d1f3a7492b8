import type { JsonObject, Plan, PublicPlan } from '@seaplane/config';
import type { BuildStatus } from '@seaplane/engine';
import { fromRow, type Row } from '../from-row.ts';
import { prepared, type Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';

export interface Build {
  readonly id: number;
  readonly name: string;
  readonly status: BuildStatus;
  readonly teamId: number;
  readonly teamName: string;
  readonly pipelineId?: number;
  readonly pipelineName?: string;
  readonly pipelineInstanceVars?: JsonObject;
  readonly jobId?: number;
  readonly jobName?: string;
  /** Set on a check: the resource it checks. */
  readonly resourceId?: number;
  readonly resourceName?: string;
  readonly resourceTypeId?: number;
  readonly resourceTypeName?: string;
  readonly prototypeId?: number;
  readonly prototypeName?: string;
  readonly manuallyTriggered: boolean;
  readonly createdBy?: string;
  readonly comment?: string;
  /** Always an original, never a rerun. */
  readonly rerunOf?: number;
  readonly rerunOfName?: string;
  readonly rerunNumber?: number;
  readonly scheduled: boolean;
  readonly inputsReady: boolean;
  readonly aborted: boolean;
  readonly interceptible: boolean;
  readonly createdAt: Date;
  readonly startedAt?: Date;
  readonly endedAt?: Date;
  readonly reapedAt?: Date;
}

export type BuildRow = Row<Build>;

/** Selects `BuildRow`s; append a WHERE clause. The build is `b`, its pipeline `p`, its team `t`, its job `j`. */
export const SELECT_BUILDS = `
  SELECT b.id, b.name, b.status, b.team_id AS "teamId", t.name AS "teamName",
    b.pipeline_id AS "pipelineId", p.name AS "pipelineName", p.instance_vars AS "pipelineInstanceVars",
    b.job_id AS "jobId", j.name AS "jobName", b.resource_id AS "resourceId", r.name AS "resourceName",
    b.resource_type_id AS "resourceTypeId", rt.name AS "resourceTypeName",
    b.prototype_id AS "prototypeId", pt.name AS "prototypeName",
    b.manually_triggered AS "manuallyTriggered", b.created_by AS "createdBy", b.comment,
    b.rerun_of AS "rerunOf", original.name AS "rerunOfName", b.rerun_number AS "rerunNumber",
    b.scheduled, b.inputs_ready AS "inputsReady", b.aborted, b.interceptible,
    b.created_at AS "createdAt", b.started_at AS "startedAt", b.ended_at AS "endedAt", b.reaped_at AS "reapedAt"
  FROM build b
  JOIN team t ON t.id = b.team_id
  LEFT JOIN pipeline p ON p.id = b.pipeline_id
  LEFT JOIN job j ON j.id = b.job_id
  LEFT JOIN resource r ON r.id = b.resource_id
  LEFT JOIN resource_type rt ON rt.id = b.resource_type_id
  LEFT JOIN prototype pt ON pt.id = b.prototype_id
  LEFT JOIN build original ON original.id = b.rerun_of`;

export function toBuild(row: BuildRow): Build {
  return fromRow<Build>(row);
}

export async function findBuild(db: Queryable, id: number): Promise<Build | undefined> {
  const { rows } = await db.query<BuildRow>(prepared(`${SELECT_BUILDS} WHERE b.id = $1`, [id]));
  return rows[0] && toBuild(rows[0]);
}

export async function findBuilds(db: Queryable, ids: readonly number[]): Promise<Build[]> {
  const { rows } = await db.query<BuildRow>(
    prepared(`${SELECT_BUILDS} WHERE b.id = ANY($1::bigint[]) ORDER BY b.id`, [ids]),
  );
  return rows.map(toBuild);
}

/** Finds a build of a job by its name; `latest` is the newest. */
export async function findJobBuild(db: Queryable, jobId: number, name: string): Promise<Build | undefined> {
  const { rows } =
    name === 'latest'
      ? await db.query<BuildRow>(`${SELECT_BUILDS} WHERE b.job_id = $1 ORDER BY b.id DESC LIMIT 1`, [jobId])
      : await db.query<BuildRow>(prepared(`${SELECT_BUILDS} WHERE b.job_id = $1 AND b.name = $2`, [jobId, name]));
  return rows[0] && toBuild(rows[0]);
}

/** Reads the plans of builds that run. A plan is deleted when its build ends. */
export async function readPrivatePlans(db: Queryable, ids: readonly number[]): Promise<Map<number, Plan>> {
  const { rows } = await db.query<{ id: number; plan: Plan | string }>(
    'SELECT id, private_plan AS plan FROM build WHERE id = ANY($1::bigint[]) AND private_plan IS NOT NULL',
    [ids],
  );
  return new Map(rows.map(({ id, plan }) => [id, vaultOf(db).open('build.private_plan', plan)]));
}

/** Reads the part of the plan that everybody who sees the build may see. Undefined before the build starts. */
export async function readPublicPlan(db: Queryable, id: number): Promise<PublicPlan | undefined> {
  const { rows } = await db.query<{ plan: PublicPlan | null }>('SELECT public_plan AS plan FROM build WHERE id = $1', [
    id,
  ]);
  return rows[0]?.plan ?? undefined;
}

export async function setBuildComment(db: Queryable, id: number, comment: string): Promise<boolean> {
  const { rowCount } = await db.query('UPDATE build SET comment = $2 WHERE id = $1', [id, comment]);
  return rowCount === 1;
}
