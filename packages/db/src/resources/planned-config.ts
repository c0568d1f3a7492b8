import {
  type BaseTypeDefaults,
  buildResourceCheckPlan,
  buildResourceTypeCheckPlan,
  type CheckPlan,
  type GetPlan,
  type Json,
  type Plan,
  type ResourceConfig,
  type ResourceType,
} from '@seaplane/config';
import type { Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';
import { digestOf } from './resource-config.ts';

/** The part of a plan that depends on the configuration of its resource or type. */
type Planned = Pick<CheckPlan, 'type' | 'source' | 'image'>;

/**
 * Whether a resource still has the configuration that a plan was made for: type and source as they are written, without
 * the values of variables, and the same of the types that its image is made of. The caller has locked the resource.
 */
export async function isResourceAsPlanned(
  tx: Queryable,
  resourceId: number,
  planned: Planned,
  baseTypeDefaults: BaseTypeDefaults,
): Promise<boolean> {
  const { rows } = await tx.query<{ type: string; config: ResourceConfig | string; pipelineId: number }>(
    'SELECT type, config, pipeline_id AS "pipelineId" FROM resource WHERE id = $1',
    [resourceId],
  );
  if (!rows[0]) return false;
  const { type, pipelineId } = rows[0];
  const config = vaultOf(tx).open('resource.config', rows[0].config);
  const resourceTypes = await readTypes(tx, pipelineId);
  const options = { resourceTypes, skipInterval: false, baseTypeDefaults };
  const current = checkOf(buildResourceCheckPlan({ ...config, type }, options));
  return digestOf(identityOf(planned)) === digestOf(identityOf(current));
}

/** The same for a resource type or prototype, but for the types that its own image is made of. */
export async function isTypeAsPlanned(
  tx: Queryable,
  pipelineId: number,
  type: ResourceType,
  planned: Planned,
  baseTypeDefaults: BaseTypeDefaults,
): Promise<boolean> {
  const resourceTypes = await readTypes(tx, pipelineId);
  const current = checkOf(buildResourceTypeCheckPlan(type, { resourceTypes, skipInterval: false, baseTypeDefaults }));
  return digestOf([planned.type, planned.source]) === digestOf([current.type, current.source]);
}

async function readTypes(db: Queryable, pipelineId: number): Promise<ResourceType[]> {
  const { rows } = await db.query<{ config: ResourceType | string }>(
    'SELECT config FROM resource_type WHERE pipeline_id = $1 AND active ORDER BY ordering',
    [pipelineId],
  );
  return rows.map(({ config }) => vaultOf(db).open('resource_type.config', config));
}

function checkOf(plan: Plan): CheckPlan {
  if (!('check' in plan)) throw new Error('the plan of a check is not a check');
  return plan.check;
}

function identityOf({ type, source, image, params, version }: Planned & Pick<GetPlan, 'params' | 'version'>): Json {
  const get = image.get_plan && 'get' in image.get_plan ? identityOf(image.get_plan.get) : null;
  return [type, source, params ?? null, version ?? null, get];
}
