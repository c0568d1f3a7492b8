import type { JsonObject } from '@seaplane/config';
import { requestScheduleOfPipeline } from '../jobs/request-schedule.ts';
import { announceChange } from '../notifications/changes.ts';
import { notify } from '../notifications/channels.ts';
import { inTransaction, oneRow, type Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';
import type { PipelineToSave } from './pipeline-to-save.ts';
import { saveJobs } from './save-jobs.ts';
import { saveResources, saveTypes } from './save-resources.ts';

/** The name of a pipeline within its team. No instance vars (undefined) differs from `{}`. */
export interface PipelineRef {
  readonly name: string;
  readonly instanceVars?: JsonObject;
}

export interface SavePipelineRequest {
  readonly teamId: number;
  readonly ref: PipelineRef;
  readonly pipeline: PipelineToSave;
  /** The version that the new one was made from. 0: there is no pipeline, or it is archived. */
  readonly fromVersion: number;
  /** The build whose set_pipeline step saves the pipeline and owns it from then on. Not given: a user saves it. */
  readonly by?: { readonly buildId: number; readonly jobId: number };
}

export type SavePipelineResult =
  | { readonly kind: 'saved'; readonly pipelineId: number; readonly created: boolean; readonly configVersion: number }
  /** Somebody has changed it in the meantime. */
  | { readonly kind: 'version-conflict' }
  | { readonly kind: 'set-by-newer-build' };

/**
 * Saves a pipeline with all its parts in one transaction. A user's new pipeline is paused; a build's new pipeline is
 * not, and a build also unpauses an archived pipeline.
 */
export function savePipeline(db: Queryable, request: SavePipelineRequest): Promise<SavePipelineResult> {
  return inTransaction(db, async (tx) => {
    const written = await writePipeline(tx, request);
    if (written.kind !== 'saved') return written;
    const { resources, resourceTypes, prototypes, jobs } = request.pipeline;
    await saveResources(tx, written.pipelineId, resources);
    await saveTypes(tx, 'resource_type', written.pipelineId, resourceTypes);
    await saveTypes(tx, 'prototype', written.pipelineId, prototypes);
    await saveJobs(tx, written.pipelineId, jobs);
    await requestScheduleOfPipeline(tx, written.pipelineId);
    await notify(tx, 'checks', written.pipelineId);
    await announceChange(tx, written.created ? 'pipelines' : `pipeline:${written.pipelineId}`);
    return written;
  });
}

async function writePipeline(tx: Queryable, request: SavePipelineRequest): Promise<SavePipelineResult> {
  const { teamId, ref, fromVersion, by } = request;
  const { rows } = await tx.query<{ id: number; version: number; setBy: number | null }>(
    `SELECT id, config_version AS version, parent_build_id AS "setBy" FROM pipeline
     WHERE team_id = $1 AND name = $2 AND instance_key = coalesce(json_digest($3::jsonb), '') FOR NO KEY UPDATE`,
    [teamId, ref.name, varsText(ref)],
  );
  const existing = rows[0];
  if (!existing) return fromVersion === 0 ? insertPipeline(tx, request) : { kind: 'version-conflict' };
  if (by && existing.setBy !== null && by.buildId < existing.setBy) return { kind: 'set-by-newer-build' };
  if (existing.version !== fromVersion) return { kind: 'version-conflict' };
  return updatePipeline(tx, existing.id, request);
}

async function insertPipeline(tx: Queryable, request: SavePipelineRequest): Promise<SavePipelineResult> {
  const { teamId, ref, pipeline, by } = request;
  const { rows } = await tx.query<{ id: number; version: number }>(
    `INSERT INTO pipeline (team_id, name, instance_vars, config, shown, config_version, paused, parent_job_id,
       parent_build_id, ordering, secondary_ordering)
     SELECT $1, $2, $3::jsonb, $4::json, $5::json, nextval('config_version'), $6::bigint IS NULL, $7, $6,
       -- An instance joins the others of its name; anything else goes to the end.
       coalesce(max(ordering) FILTER (WHERE name = $2), max(ordering) + 1, 0),
       coalesce(max(secondary_ordering) FILTER (WHERE name = $2), 0) + 1
     FROM pipeline WHERE team_id = $1
     ON CONFLICT DO NOTHING
     RETURNING id, config_version AS version`,
    [
      teamId,
      ref.name,
      varsText(ref),
      vaultOf(tx).seal('pipeline.config', pipeline.config),
      JSON.stringify(pipeline.shown),
      by?.buildId,
      by?.jobId,
    ],
  );
  if (!rows[0]) return { kind: 'version-conflict' };
  return { kind: 'saved', pipelineId: rows[0].id, created: true, configVersion: rows[0].version };
}

async function updatePipeline(tx: Queryable, id: number, request: SavePipelineRequest): Promise<SavePipelineResult> {
  const { pipeline, by } = request;
  const result = await tx.query<{ version: number }>(
    `UPDATE pipeline SET
       config = $2::json, shown = $3::json, config_version = nextval('config_version'), updated_at = now(),
       parent_build_id = $4, parent_job_id = $5, archived = false,
       paused = paused AND NOT (archived AND $4::bigint IS NOT NULL)
     WHERE id = $1
     RETURNING config_version AS version`,
    [id, vaultOf(tx).seal('pipeline.config', pipeline.config), JSON.stringify(pipeline.shown), by?.buildId, by?.jobId],
  );
  return { kind: 'saved', pipelineId: id, created: false, configVersion: oneRow(result).version };
}

/** Makes a build the owner of a pipeline that it set to the configuration it had already. A newer owner stays. */
export async function adoptPipeline(
  db: Queryable,
  pipelineId: number,
  by: { readonly buildId: number; readonly jobId: number },
): Promise<void> {
  await db.query(
    `UPDATE pipeline SET parent_build_id = $2, parent_job_id = $3
     WHERE id = $1 AND (parent_build_id IS NULL OR parent_build_id <= $2)`,
    [pipelineId, by.buildId, by.jobId],
  );
}

function varsText({ instanceVars }: PipelineRef): string | null {
  return instanceVars === undefined ? null : JSON.stringify(instanceVars);
}
