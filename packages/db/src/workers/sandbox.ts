import type { JsonObject } from '@seaplane/config';
import { fromRow, type Row } from '../from-row.ts';
import type { Queryable } from '../queryable.ts';

export type SandboxType = 'check' | 'get' | 'put' | 'task' | 'run';

/** A step's sandbox, as users see it. Concourse calls it a container. */
export interface Sandbox {
  readonly handle: string;
  readonly workerName: string;
  readonly state: 'creating' | 'created' | 'failed' | 'destroying';
  /** The reason why the sandbox failed. */
  readonly reason?: string;
  readonly teamId?: number;
  readonly type: SandboxType;
  readonly stepName: string;
  readonly attempt: string;
  readonly workingDirectory: string;
  readonly user: string;
  /** Checks share this sandbox. */
  readonly shared: boolean;
  readonly planId?: string;
  readonly buildId?: number;
  readonly buildName?: string;
  readonly jobId?: number;
  readonly jobName?: string;
  readonly pipelineId?: number;
  readonly pipelineName?: string;
  readonly pipelineInstanceVars?: JsonObject;
  readonly createdAt: Date;
  readonly lastUsedAt: Date;
}

const SELECT_SANDBOXES = `
  SELECT s.handle, s.worker_name AS "workerName", s.state, s.reason, s.team_id AS "teamId", s.type,
    s.step_name AS "stepName", s.attempt, s.working_directory AS "workingDirectory", s.username AS "user", s.shared,
    s.plan_id AS "planId", s.build_id AS "buildId", b.name AS "buildName", b.job_id AS "jobId", j.name AS "jobName",
    b.pipeline_id AS "pipelineId", p.name AS "pipelineName", p.instance_vars AS "pipelineInstanceVars",
    s.created_at AS "createdAt", s.last_used_at AS "lastUsedAt"
  FROM sandbox s
  LEFT JOIN build b ON b.id = s.build_id
  LEFT JOIN job j ON j.id = b.job_id
  LEFT JOIN pipeline p ON p.id = b.pipeline_id`;

export async function findSandbox(db: Queryable, handle: string): Promise<Sandbox | undefined> {
  const { rows } = await db.query<Row<Sandbox>>(`${SELECT_SANDBOXES} WHERE s.handle = $1`, [handle]);
  return rows[0] && fromRow<Sandbox>(rows[0]);
}

/** The filters of `fly containers` and `fly intercept`. Every given field must match. */
export interface SandboxFilter {
  readonly type?: SandboxType;
  readonly stepName?: string;
  readonly attempt?: string;
  readonly buildId?: number;
  readonly buildName?: string;
  readonly jobId?: number;
  readonly jobName?: string;
  readonly pipelineId?: number;
  readonly pipelineName?: string;
  /** Of the pipeline named by `pipelineName`; null: not an instance. */
  readonly instanceVars?: JsonObject | null;
  /** The resource that was checked in the sandbox. */
  readonly resourceName?: string;
}

/** A team's sandboxes, oldest build first. */
export async function listSandboxes(db: Queryable, teamId: number, filter: SandboxFilter = {}): Promise<Sandbox[]> {
  const where = ['s.team_id = $1'];
  const values: unknown[] = [teamId];
  const equal = (column: string, value: unknown) => {
    if (value !== undefined) where.push(`${column} = $${values.push(value)}`);
  };
  equal('s.type', filter.type);
  equal('s.step_name', filter.stepName);
  equal('s.attempt', filter.attempt);
  equal('s.build_id', filter.buildId);
  equal('b.name', filter.buildName);
  equal('b.job_id', filter.jobId);
  equal('j.name', filter.jobName);
  equal('b.pipeline_id', filter.pipelineId);
  if (filter.resourceName !== undefined) {
    where.push(checkedHere(filter, values));
  } else {
    equal('p.name', filter.pipelineName);
    if (filter.instanceVars !== undefined) where.push(`p.instance_key = ${instanceKey(filter.instanceVars, values)}`);
  }
  const { rows } = await db.query<Row<Sandbox>>(
    `${SELECT_SANDBOXES} WHERE ${where.join(' AND ')} ORDER BY s.build_id NULLS LAST, s.created_at, s.handle`,
    values,
  );
  return rows.map((row) => fromRow<Sandbox>(row));
}

function checkedHere({ resourceName, pipelineName, instanceVars }: SandboxFilter, values: unknown[]): string {
  const conditions = [`r.name = $${values.push(resourceName)}`, 'sr.handle = s.handle'];
  if (pipelineName !== undefined) conditions.push(`rp.name = $${values.push(pipelineName)}`);
  if (instanceVars !== undefined) conditions.push(`rp.instance_key = ${instanceKey(instanceVars, values)}`);
  return `EXISTS (
    SELECT FROM sandbox_resource sr JOIN resource r ON r.id = sr.resource_id JOIN pipeline rp ON rp.id = r.pipeline_id
    WHERE ${conditions.join(' AND ')})`;
}

function instanceKey(instanceVars: JsonObject | null, values: unknown[]): string {
  const text = instanceVars === null ? null : JSON.stringify(instanceVars);
  return `coalesce(json_digest($${values.push(text)}::jsonb), '')`;
}
