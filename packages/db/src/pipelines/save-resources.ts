import { createHash } from 'node:crypto';
import { abortBuild } from '../builds/abort-build.ts';
import type { Queryable } from '../queryable.ts';
import { secondsBetweenChecks } from '../resources/last-check.ts';
import { vaultOf } from '../secrets/vault.ts';
import type { ResourceToSave, TypeToSave } from './pipeline-to-save.ts';
import { rename } from './rename.ts';

/** Saves the pipeline's resources. Those that the configuration does not have become inactive. */
export async function saveResources(
  tx: Queryable,
  pipelineId: number,
  resources: readonly ResourceToSave[],
): Promise<void> {
  await tx.query('SELECT FROM resource WHERE pipeline_id = $1 ORDER BY id FOR NO KEY UPDATE', [pipelineId]);
  await rename(tx, 'resource', pipelineId, resources);
  await abortFormerChecks(tx, pipelineId, resources);
  await tx.query(
    `INSERT INTO resource (pipeline_id, name, type, config, config_digest, public, check_every, ordering)
     SELECT $1, r.name, r.type, r.config::json, r.config_digest, r.public, r.check_every, r.ordering
     FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bool[], $7::text[])
       WITH ORDINALITY AS r (name, type, config, config_digest, public, check_every, ordering)
     ON CONFLICT (pipeline_id, name) DO UPDATE SET
       active = true, type = excluded.type, config = excluded.config, config_digest = excluded.config_digest,
       public = excluded.public, check_every = excluded.check_every, ordering = excluded.ordering,
       -- With another source no version is known until the resource is checked.
       scope_id = CASE WHEN resource.config_digest = excluded.config_digest THEN resource.scope_id END`,
    [
      pipelineId,
      resources.map(({ name }) => name),
      resources.map(({ type }) => type),
      resources.map(({ config }) => vaultOf(tx).seal('resource.config', config)),
      resources.map(configDigest),
      resources.map((resource) => resource.public),
      resources.map(({ config }) => config['check_every'] ?? null),
    ],
  );
  await deactivateOthers(tx, 'resource', pipelineId, resources);
  await saveIntervals(tx, pipelineId, resources);
  await savePins(tx, pipelineId, resources);
}

/**
 * Aborts the running checks of resources that get another type or source: nobody needs their versions, and the first
 * check of the new source must not wait for them.
 */
async function abortFormerChecks(
  tx: Queryable,
  pipelineId: number,
  resources: readonly ResourceToSave[],
): Promise<void> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT b.id FROM unnest($2::text[], $3::text[]) AS r (name, config_digest)
     JOIN resource ON resource.pipeline_id = $1 AND resource.name = r.name AND resource.config_digest <> r.config_digest
     JOIN build b ON b.resource_id = resource.id AND b.status = 'started' AND NOT b.aborted
     ORDER BY b.id`,
    [pipelineId, resources.map(({ name }) => name), resources.map(configDigest)],
  );
  for (const { id } of rows) await abortBuild(tx, id);
}

/** The next check of a resource is due one interval after the last check ended: a changed interval counts at once. */
async function saveIntervals(tx: Queryable, pipelineId: number, resources: readonly ResourceToSave[]): Promise<void> {
  const seconds = resources.map(({ config }) => secondsBetweenChecks(config['check_every'] as string | undefined));
  await tx.query(
    `UPDATE resource_scope scope SET next_check_at = due.at
     FROM (
       SELECT resource.scope_id, coalesce(old.last_check_ended_at + make_interval(secs => r.seconds), 'infinity') AS at
       FROM unnest($2::text[], $3::float[]) AS r (name, seconds)
       JOIN resource ON resource.pipeline_id = $1 AND resource.name = r.name
       JOIN resource_scope old ON old.id = resource.scope_id AND old.last_check_ended_at IS NOT NULL
     ) due
     WHERE scope.id = due.scope_id AND scope.next_check_at IS DISTINCT FROM due.at`,
    [pipelineId, resources.map(({ name }) => name), seconds],
  );
}

function configDigest({ type, config }: ResourceToSave): string {
  const text = JSON.stringify([type, config['source'] ?? null]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** Saves the configuration's pins, which replace all others. Without one, a pin by the API is kept. */
async function savePins(tx: Queryable, pipelineId: number, resources: readonly ResourceToSave[]): Promise<void> {
  const pinned = resources.filter(({ pin }) => pin);
  await tx.query(
    `DELETE FROM resource_pin USING resource r
     WHERE resource_pin.resource_id = r.id AND r.pipeline_id = $1 AND in_config AND r.name <> ALL($2::text[])`,
    [pipelineId, pinned.map(({ name }) => name)],
  );
  await tx.query(
    `INSERT INTO resource_pin (resource_id, version, in_config)
     SELECT r.id, pin.version::jsonb, true
     FROM unnest($2::text[], $3::text[]) AS pin (name, version)
     JOIN resource r ON r.pipeline_id = $1 AND r.name = pin.name
     ON CONFLICT (resource_id) DO UPDATE SET version = excluded.version, comment = '', in_config = true`,
    [pipelineId, pinned.map(({ name }) => name), pinned.map(({ pin }) => JSON.stringify(pin))],
  );
}

/** The same for resource types and prototypes. */
export async function saveTypes(
  tx: Queryable,
  table: 'resource_type' | 'prototype',
  pipelineId: number,
  types: readonly TypeToSave[],
): Promise<void> {
  await tx.query(
    `INSERT INTO ${table} (pipeline_id, name, type, config, ordering)
     SELECT $1, t.name, t.type, t.config::json, t.ordering
     FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS t (name, type, config, ordering)
     ON CONFLICT (pipeline_id, name) DO UPDATE SET
       active = true, type = excluded.type, config = excluded.config, ordering = excluded.ordering`,
    [
      pipelineId,
      types.map(({ name }) => name),
      types.map(({ type }) => type),
      types.map(({ config }) => vaultOf(tx).seal(`${table}.config`, config)),
    ],
  );
  await deactivateOthers(tx, table, pipelineId, types);
}

/** Deactivates items that the configuration no longer has. Their history is kept and comes back with their name. */
export async function deactivateOthers(
  tx: Queryable,
  table: 'job' | 'resource' | 'resource_type' | 'prototype',
  pipelineId: number,
  items: readonly { readonly name: string }[],
): Promise<void> {
  await tx.query(`UPDATE ${table} SET active = false WHERE pipeline_id = $1 AND active AND name <> ALL($2::text[])`, [
    pipelineId,
    items.map(({ name }) => name),
  ]);
}
