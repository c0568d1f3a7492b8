import type { BaseTypeDefaults, CheckPlan, PutPlan, ResourceType } from '@seaplane/config';
import { requestScheduleOfResource } from '../jobs/request-schedule.ts';
import { oneRow, type Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';
import { isResourceAsPlanned, isTypeAsPlanned } from './planned-config.ts';

/**
 * Returns the scope (version history) of a configuration: of one resource, or shared by everything with that
 * configuration. A resource has one scope at a time; the scope of its former configuration is deleted with its
 * versions. The caller has locked the resource before its scope, as `savePipeline` does, so that there is no deadlock.
 */
export async function findOrCreateScope(tx: Queryable, configId: number, resourceId?: number): Promise<number> {
  const values = [configId, resourceId];
  const found = await tx.query<{ id: number }>(
    'SELECT id FROM resource_scope WHERE resource_config_id = $1 AND resource_id IS NOT DISTINCT FROM $2::int',
    values,
  );
  if (found.rows[0]) return found.rows[0].id;
  if (resourceId !== undefined) {
    await tx.query('DELETE FROM resource_scope WHERE resource_id = $1 AND resource_config_id <> $2', [
      resourceId,
      configId,
    ]);
  }
  const created = await tx.query<{ id: number }>(
    `INSERT INTO resource_scope (resource_config_id, resource_id) VALUES ($1, $2)
     ON CONFLICT (resource_config_id, resource_id) DO UPDATE SET resource_config_id = excluded.resource_config_id
     RETURNING id`,
    values,
  );
  return oneRow(created).id;
}

/**
 * Returns the scope of a resource's configuration, and points the resource to it. If that changes the scope, the
 * resource's jobs are scheduled. Undefined, and nothing changes: the plan was made for a configuration that the pipeline
 * no longer has.
 */
export async function enterResourceScope(
  tx: Queryable,
  resourceId: number,
  configId: number,
  plan: CheckPlan | PutPlan,
  baseTypeDefaults: BaseTypeDefaults,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT s.id FROM resource r JOIN resource_scope s ON s.id = r.scope_id
     WHERE r.id = $1 AND s.resource_config_id = $2`,
    [resourceId, configId],
  );
  if (rows[0]) return rows[0].id;
  // `savePipeline` locks it, too: the configuration stays as it is until the end of this transaction.
  await tx.query('SELECT FROM resource WHERE id = $1 FOR NO KEY UPDATE', [resourceId]);
  if (!(await isResourceAsPlanned(tx, resourceId, plan, baseTypeDefaults))) return undefined;
  const scopeId = await findOrCreateScope(tx, configId, resourceId);
  const { rowCount } = await tx.query(
    'UPDATE resource SET scope_id = $2 WHERE id = $1 AND scope_id IS DISTINCT FROM $2',
    [resourceId, scopeId],
  );
  if (rowCount === 1) await requestScheduleOfResource(tx, resourceId);
  return scopeId;
}

/**
 * Points a resource type or prototype of a pipeline to the scope of its check, unless the plan was made for another
 * configuration of it: a build goes on with the types that it began with.
 */
export async function pointTypeToScope(
  tx: Queryable,
  table: 'resource_type' | 'prototype',
  pipelineId: number,
  name: string,
  scopeId: number,
  plan: CheckPlan,
  baseTypeDefaults: BaseTypeDefaults,
): Promise<void> {
  const { rows } = await tx.query<{ id: number; type: string; config: ResourceType | string }>(
    `SELECT id, type, config FROM ${table}
     WHERE pipeline_id = $1 AND name = $2 AND active AND scope_id IS DISTINCT FROM $3 FOR NO KEY UPDATE`,
    [pipelineId, name, scopeId],
  );
  if (!rows[0]) return;
  const { id, type } = rows[0];
  const config = vaultOf(tx).open(`${table}.config`, rows[0].config);
  if (!(await isTypeAsPlanned(tx, pipelineId, { ...config, type }, plan, baseTypeDefaults))) return;
  await tx.query(`UPDATE ${table} SET scope_id = $2 WHERE id = $1`, [id, scopeId]);
}

/** Finds the id of a resource that the pipeline's configuration has. */
export async function findResourceId(db: Queryable, pipelineId: number, name: string): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>(
    'SELECT id FROM resource WHERE pipeline_id = $1 AND name = $2 AND active',
    [pipelineId, name],
  );
  return rows[0]?.id;
}
