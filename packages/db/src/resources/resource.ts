import type { JsonObject, Version } from '@seaplane/config';
import type { BuildStatus } from '@seaplane/engine';
import { fromRow, type Row } from '../from-row.ts';
import type { Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';

export interface Resource {
  readonly id: number;
  readonly name: string;
  readonly pipelineId: number;
  readonly type: string;
  readonly public: boolean;
  readonly config?: JsonObject;
  readonly scopeId?: number;
  readonly pinnedVersion?: Version;
  readonly pinnedInConfig?: boolean;
  readonly pinComment?: string;
  readonly lastCheckStartedAt?: Date;
  readonly lastCheckEndedAt?: Date;
  readonly lastCheckSucceeded?: boolean;
  /** The build of the last check. Not set if the check was only a part of another build. */
  readonly lastCheckBuildId?: number;
  readonly lastCheckBuildStatus?: BuildStatus;
}

const SELECT_RESOURCES = `
  SELECT r.id, r.name, r.pipeline_id AS "pipelineId", r.type, r.public, r.config, r.scope_id AS "scopeId",
    pin.version AS "pinnedVersion", pin.in_config AS "pinnedInConfig", nullif(pin.comment, '') AS "pinComment",
    s.last_check_started_at AS "lastCheckStartedAt", s.last_check_ended_at AS "lastCheckEndedAt",
    s.last_check_succeeded AS "lastCheckSucceeded", b.id AS "lastCheckBuildId", b.status AS "lastCheckBuildStatus"
  FROM resource r
  LEFT JOIN resource_pin pin ON pin.resource_id = r.id
  LEFT JOIN resource_scope s ON s.id = r.scope_id
  LEFT JOIN build b ON b.id = s.last_check_build_id`;

/** Finds a resource that its pipeline's configuration has. */
export async function findResource(db: Queryable, pipelineId: number, name: string): Promise<Resource | undefined> {
  const { rows } = await db.query<Row<Resource>>(
    `${SELECT_RESOURCES} WHERE r.pipeline_id = $1 AND r.name = $2 AND r.active`,
    [pipelineId, name],
  );
  return rows[0] && opened(db, 'resource', fromRow<Resource>(rows[0]));
}

/** Lists the resources of pipelines, in the order of their configuration. */
export async function listResources(db: Queryable, pipelineIds: readonly number[]): Promise<Resource[]> {
  const { rows } = await db.query<Row<Resource>>(
    `${SELECT_RESOURCES} WHERE r.pipeline_id = ANY($1::int[]) AND r.active ORDER BY r.pipeline_id, r.ordering`,
    [pipelineIds],
  );
  return rows.map((row) => opened(db, 'resource', fromRow<Resource>(row)));
}

/** A resource type or prototype. */
export interface NamedType {
  readonly id: number;
  readonly name: string;
  readonly pipelineId: number;
  readonly type: string;
  readonly config?: JsonObject;
  readonly scopeId?: number;
}

export async function listTypes(
  db: Queryable,
  kind: 'resource_type' | 'prototype',
  pipelineId: number,
): Promise<NamedType[]> {
  const { rows } = await db.query<Row<NamedType>>(
    `SELECT id, name, pipeline_id AS "pipelineId", type, config, scope_id AS "scopeId" FROM ${kind}
     WHERE pipeline_id = $1 AND active ORDER BY ordering`,
    [pipelineId],
  );
  return rows.map((row) => opened(db, kind, fromRow<NamedType>(row)));
}

/** The same with its configuration decrypted. */
function opened<T extends { readonly config?: JsonObject | string }>(
  db: Queryable,
  table: 'resource' | 'resource_type' | 'prototype',
  row: T,
): T {
  return row.config === undefined ? row : { ...row, config: vaultOf(db).open(`${table}.config`, row.config) };
}
