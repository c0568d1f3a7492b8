import type { JsonObject } from '@seaplane/config';
import { fromRow, type Row } from '../from-row.ts';
import { prepared, type Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';
import type { PipelineRef } from './save-pipeline.ts';

export interface Pipeline {
  readonly id: number;
  readonly name: string;
  readonly instanceVars?: JsonObject;
  readonly teamId: number;
  readonly teamName: string;
  /** 0 once archived. */
  readonly configVersion: number;
  /** `groups`, `display`, `user_data` of its configuration. */
  readonly shown: JsonObject;
  readonly paused: boolean;
  readonly pausedBy?: string;
  readonly pausedAt?: Date;
  readonly public: boolean;
  readonly archived: boolean;
  readonly parentJobId?: number;
  readonly parentBuildId?: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Selects pipelines; append a WHERE clause. The pipeline is `p`, its team `t`. */
const SELECT_PIPELINES = `
  SELECT p.id, p.name, p.instance_vars AS "instanceVars", p.team_id AS "teamId", t.name AS "teamName",
    p.config_version AS "configVersion", p.shown, p.paused, p.paused_by AS "pausedBy", p.paused_at AS "pausedAt",
    p.public, p.archived, p.parent_job_id AS "parentJobId", p.parent_build_id AS "parentBuildId",
    p.created_at AS "createdAt", p.updated_at AS "updatedAt"
  FROM pipeline p JOIN team t ON t.id = p.team_id`;

export async function findPipeline(db: Queryable, teamId: number, ref: PipelineRef): Promise<Pipeline | undefined> {
  const { rows } = await db.query<Row<Pipeline>>(
    prepared(
      `${SELECT_PIPELINES}
       WHERE p.team_id = $1 AND p.name = $2 AND p.instance_key = coalesce(json_digest($3::jsonb), '')`,
      [teamId, ref.name, ref.instanceVars === undefined ? null : JSON.stringify(ref.instanceVars)],
    ),
  );
  return rows[0] && fromRow<Pipeline>(rows[0]);
}

export async function findPipelineById(db: Queryable, id: number): Promise<Pipeline | undefined> {
  const { rows } = await db.query<Row<Pipeline>>(prepared(`${SELECT_PIPELINES} WHERE p.id = $1`, [id]));
  return rows[0] && fromRow<Pipeline>(rows[0]);
}

export interface PipelineFilter {
  /** Selects pipelines of these teams and, with `orPublic`, every public one. If not given, pipelines of all teams. */
  readonly teamIds?: readonly number[];
  readonly orPublic?: boolean;
}

/** Lists pipelines in the order that their teams gave them, including archived ones. */
export async function listPipelines(db: Queryable, filter: PipelineFilter = {}): Promise<Pipeline[]> {
  const { rows } = await db.query<Row<Pipeline>>(
    `${SELECT_PIPELINES}
     WHERE $1::int[] IS NULL OR p.team_id = ANY($1) OR ($2 AND p.public)
     ORDER BY p.team_id, p.ordering, p.name, p.secondary_ordering, p.id`,
    [filter.teamIds, filter.orPublic ?? false],
  );
  return rows.map((row) => fromRow<Pipeline>(row));
}

/** Reads the configuration as it was saved, with its version. Undefined for an archived pipeline. */
export async function readPipelineConfig(
  db: Queryable,
  pipelineId: number,
): Promise<{ readonly config: JsonObject; readonly version: number } | undefined> {
  const { rows } = await db.query<{ config: JsonObject | string; version: number }>(
    'SELECT config, config_version AS version FROM pipeline WHERE id = $1 AND config IS NOT NULL',
    [pipelineId],
  );
  return rows[0] && { ...rows[0], config: vaultOf(db).open('pipeline.config', rows[0].config) };
}

/** Reads a pipeline's configuration, unless it has the version that the caller knows. One round trip in either case. */
export async function readPipelineConfigUnless(
  db: Queryable,
  pipelineId: number,
  knownVersion: number | undefined,
): Promise<
  'unchanged' | { readonly config: JsonObject; readonly version: number; readonly characters: number } | undefined
> {
  const { rows } = await db.query<{ config: JsonObject | string | null; version: number; characters: number }>(
    prepared(
      `SELECT config_version AS version, changed.config, length(changed.config::text) AS characters
       FROM pipeline
       LEFT JOIN LATERAL (SELECT pipeline.config WHERE config_version IS DISTINCT FROM $2) changed ON true
       WHERE id = $1 AND pipeline.config IS NOT NULL`,
      [pipelineId, knownVersion],
    ),
  );
  const [row] = rows;
  if (!row) return undefined;
  const { config, version, characters } = row;
  return config === null ? 'unchanged' : { config: vaultOf(db).open('pipeline.config', config), version, characters };
}
