import {
  buildPrototypeCheckPlan,
  buildResourceCheckPlan,
  buildResourceTypeCheckPlan,
  type CheckIntervals,
  type CheckPlanOptions,
  type PipelineConfig,
  type Plan,
  publicPlan,
  type Version,
} from '@seaplane/config';
import { type Build, createCheckBuild, inTransaction, type Queryable } from '@seaplane/db';
import type { SchedulerContext } from '../context.ts';

export interface CheckOptions {
  /** A user, or a build that a user triggered, wants the check now, however recent the last one is. */
  readonly manuallyTriggered: boolean;
  /** Checks the resource alone, without asking for new versions of its types. */
  readonly shallow?: boolean;
  readonly from?: Version;
  readonly createdBy?: string;
}

type CheckContext = Pick<SchedulerContext, 'db' | 'storedPipelines' | 'baseTypeDefaults' | 'checkIntervals'>;

type CheckedTable = 'resource' | 'resource_type' | 'prototype';

/** A row of a pipeline that can be checked, and how its check is planned. */
interface Checked<T> {
  readonly table: CheckedTable;
  readonly id: number;
  readonly subject: Parameters<typeof createCheckBuild>[1];
  readonly itemsOf: (pipeline: PipelineConfig) => readonly T[];
  readonly planOf: (item: T, options: Parameters<typeof buildResourceCheckPlan>[1]) => Plan;
}

interface CheckedRow {
  readonly name: string;
  readonly pipelineId: number;
}

/** Starts a check of a resource. Returns undefined if nobody asked for the check and another one runs. */
export function checkResource(
  context: CheckContext,
  resourceId: number,
  options: CheckOptions,
): Promise<Build | undefined> {
  const itemsOf = ({ resources }: PipelineConfig) => resources;
  const checked = { table: 'resource', id: resourceId, subject: { resourceId } } as const;
  return startCheck(context, { ...checked, itemsOf, planOf: buildResourceCheckPlan }, options);
}

export function checkResourceType(
  context: CheckContext,
  resourceTypeId: number,
  options: CheckOptions,
): Promise<Build | undefined> {
  const itemsOf = ({ resource_types }: PipelineConfig) => resource_types;
  const checked = { table: 'resource_type', id: resourceTypeId, subject: { resourceTypeId } } as const;
  return startCheck(context, { ...checked, itemsOf, planOf: buildResourceTypeCheckPlan }, options);
}

export function checkPrototype(
  context: CheckContext,
  prototypeId: number,
  options: CheckOptions,
): Promise<Build | undefined> {
  const itemsOf = ({ prototypes }: PipelineConfig) => prototypes;
  const checked = { table: 'prototype', id: prototypeId, subject: { prototypeId } } as const;
  return startCheck(context, { ...checked, itemsOf, planOf: buildPrototypeCheckPlan }, options);
}

/**
 * The row is locked before its pipeline is read, so that the check is not made for a configuration that is just being
 * replaced.
 */
function startCheck<T extends { readonly name: string; readonly webhook_token?: string }>(
  { db, storedPipelines, baseTypeDefaults = {}, checkIntervals = {} }: CheckContext,
  { table, id, subject, itemsOf, planOf }: Checked<T>,
  options: CheckOptions,
): Promise<Build | undefined> {
  return inTransaction(db, async (tx) => {
    const { name, pipelineId } = await lock(tx, table, id);
    const pipeline = await storedPipelines.read(tx, pipelineId);
    const item = itemsOf(pipeline).find((each) => each.name === name);
    if (!item) throw gone(table, id);
    const intervals = intervalsFor(checkIntervals, table, item);
    const plan = planOf(item, { ...optionsFor(options, pipeline.resource_types), ...intervals, baseTypeDefaults });
    return createCheckBuild(tx, subject, { ...startedBy(options), plan, publicPlan: publicPlan(plan) });
  });
}

/** A webhook tells of new versions, so such a resource may be checked less often. */
function intervalsFor(
  { resource, resourceWithWebhook, resourceType }: CheckIntervals,
  table: CheckedTable,
  item: { readonly webhook_token?: string },
): Pick<CheckPlanOptions, 'defaultInterval' | 'imageInterval'> {
  const own = table !== 'resource' ? resourceType : item.webhook_token ? resourceWithWebhook : resource;
  return {
    ...(own !== undefined && { defaultInterval: own }),
    ...(resource !== undefined && { imageInterval: resource }),
  };
}

function optionsFor<T>({ manuallyTriggered, shallow = false, from }: CheckOptions, resourceTypes: T) {
  const skipTypeIntervals = manuallyTriggered && !shallow;
  return { resourceTypes, skipInterval: manuallyTriggered, skipTypeIntervals, ...(from ? { from } : {}) };
}

function startedBy({ manuallyTriggered, createdBy }: CheckOptions) {
  return createdBy ? { manuallyTriggered, createdBy } : { manuallyTriggered };
}

async function lock(tx: Queryable, table: CheckedTable, id: number): Promise<CheckedRow> {
  const { rows } = await tx.query<CheckedRow>(
    `SELECT name, pipeline_id AS "pipelineId" FROM ${table} WHERE id = $1 AND active FOR NO KEY UPDATE`,
    [id],
  );
  if (!rows[0]) throw gone(table, id);
  return rows[0];
}

function gone(table: CheckedTable, id: number): Error {
  return new Error(`${table.replace('_', ' ')} ${id} is not in its pipeline any more`);
}
