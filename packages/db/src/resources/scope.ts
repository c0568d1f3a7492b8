import { requestScheduleOfResource } from '../jobs/request-schedule.ts';
import { oneRow, type Queryable } from '../queryable.ts';

/**
 * Returns the scope (version history) of a configuration: of one resource, or shared by everything with that
 * configuration. A resource has one scope at a time; the scope of its former configuration is deleted with its
 * versions.
 */
export async function findOrCreateScope(tx: Queryable, configId: number, resourceId?: number): Promise<number> {
  const values = [configId, resourceId];
  const found = await tx.query<{ id: number }>(
    'SELECT id FROM resource_scope WHERE resource_config_id = $1 AND resource_id IS NOT DISTINCT FROM $2::int',
    values,
  );
  if (found.rows[0]) return found.rows[0].id;
  if (resourceId !== undefined) {
    // Locks the resource before its scope, as `savePipeline` does, so that there is no deadlock.
    await tx.query('SELECT FROM resource WHERE id = $1 FOR NO KEY UPDATE', [resourceId]);
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

/** Points a resource to its scope. If the scope has changed, the resource's jobs are scheduled. */
export async function pointResourceToScope(tx: Queryable, resourceId: number, scopeId: number): Promise<void> {
  const { rowCount } = await tx.query(
    'UPDATE resource SET scope_id = $2 WHERE id = $1 AND scope_id IS DISTINCT FROM $2',
    [resourceId, scopeId],
  );
  if (rowCount === 1) await requestScheduleOfResource(tx, resourceId);
}

/** The same for a resource type or prototype of a pipeline, by name. */
export async function pointTypeToScope(
  tx: Queryable,
  table: 'resource_type' | 'prototype',
  pipelineId: number,
  name: string,
  scopeId: number,
): Promise<void> {
  await tx.query(
    `UPDATE ${table} SET scope_id = $3 WHERE pipeline_id = $1 AND name = $2 AND active AND scope_id IS DISTINCT FROM $3`,
    [pipelineId, name, scopeId],
  );
}

/** Finds the id of a resource that the pipeline's configuration has. */
export async function findResourceId(db: Queryable, pipelineId: number, name: string): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>(
    'SELECT id FROM resource WHERE pipeline_id = $1 AND name = $2 AND active',
    [pipelineId, name],
  );
  return rows[0]?.id;
}
