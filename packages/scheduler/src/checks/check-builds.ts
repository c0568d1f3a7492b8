import {
  buildPrototypeCheckPlan,
  buildResourceCheckPlan,
  buildResourceTypeCheckPlan,
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

type CheckContext = Pick<SchedulerContext, 'db' | 'storedPipelines' | 'baseTypeDefaults'>;

interface Checked {
  readonly name: string;
  readonly pipelineId: number;
}

/**
 * Starts a check of a resource. Returns undefined if nobody asked for the check and another one runs. The resource is
 * locked before its pipeline is read, so that the check is not made for a configuration that is just being replaced.
 */
export function checkResource(
  { db, storedPipelines, baseTypeDefaults = {} }: CheckContext,
  resourceId: number,
  options: CheckOptions,
): Promise<Build | undefined> {
  return inTransaction(db, async (tx) => {
    const { name, pipelineId } = await lock(tx, 'resource', resourceId);
    const pipeline = await storedPipelines.read(tx, pipelineId);
    const resource = pipeline.resources.find((each) => each.name === name);
    if (!resource) throw gone('resource', resourceId);
    const plan = buildResourceCheckPlan(resource, {
      ...optionsFor(options, pipeline.resource_types),
      baseTypeDefaults,
    });
    return createCheckBuild(tx, { resourceId }, { ...startedBy(options), plan, publicPlan: publicPlan(plan) });
  });
}

export function checkResourceType(
  { db, storedPipelines, baseTypeDefaults = {} }: CheckContext,
  resourceTypeId: number,
  options: CheckOptions,
): Promise<Build | undefined> {
  return inTransaction(db, async (tx) => {
    const { name, pipelineId } = await lock(tx, 'resource_type', resourceTypeId);
    const pipeline = await storedPipelines.read(tx, pipelineId);
    const type = pipeline.resource_types.find((each) => each.name === name);
    if (!type) throw gone('resource type', resourceTypeId);
    const plan = buildResourceTypeCheckPlan(type, {
      ...optionsFor(options, pipeline.resource_types),
      baseTypeDefaults,
    });
    return createCheckBuild(tx, { resourceTypeId }, { ...startedBy(options), plan, publicPlan: publicPlan(plan) });
  });
}

export function checkPrototype(
  { db, storedPipelines, baseTypeDefaults = {} }: CheckContext,
  prototypeId: number,
  options: CheckOptions,
): Promise<Build | undefined> {
  return inTransaction(db, async (tx) => {
    const { name, pipelineId } = await lock(tx, 'prototype', prototypeId);
    const pipeline = await storedPipelines.read(tx, pipelineId);
    const prototype = pipeline.prototypes.find((each) => each.name === name);
    if (!prototype) throw gone('prototype', prototypeId);
    const plan = buildPrototypeCheckPlan(prototype, {
      ...optionsFor(options, pipeline.resource_types),
      baseTypeDefaults,
    });
    return createCheckBuild(tx, { prototypeId }, { ...startedBy(options), plan, publicPlan: publicPlan(plan) });
  });
}

function optionsFor<T>({ manuallyTriggered, shallow = false, from }: CheckOptions, resourceTypes: T) {
  const skipTypeIntervals = manuallyTriggered && !shallow;
  return { resourceTypes, skipInterval: manuallyTriggered, skipTypeIntervals, ...(from ? { from } : {}) };
}

function startedBy({ manuallyTriggered, createdBy }: CheckOptions) {
  return createdBy ? { manuallyTriggered, createdBy } : { manuallyTriggered };
}

async function lock(tx: Queryable, table: 'resource' | 'resource_type' | 'prototype', id: number): Promise<Checked> {
  const { rows } = await tx.query<Checked>(
    `SELECT name, pipeline_id AS "pipelineId" FROM ${table} WHERE id = $1 AND active FOR NO KEY UPDATE`,
    [id],
  );
  if (!rows[0]) throw gone(table.replace('_', ' '), id);
  return rows[0];
}

function gone(what: string, id: number): Error {
  return new Error(`${what} ${id} is not in its pipeline any more`);
}
