import type { BaseTypeDefaults, CheckPlan } from '@seaplane/config';
import type { BuildInfo, CheckSession, ResolvedResource, Resources } from '@seaplane/engine';
import type pg from 'pg';
import { DbError } from '../errors.ts';
import type { Lock, Locks } from '../locks/locks.ts';
import { inTransaction, type Queryable } from '../queryable.ts';
import {
  mustRun,
  postponeCheck,
  readLastCheck,
  recordCheckEnd,
  recordCheckStart,
  versionToCheckFrom,
} from './last-check.ts';
import { findOrCreateResourceConfig } from './resource-config.ts';
import { enterResourceScope, findOrCreateScope, findResourceId, pointTypeToScope } from './scope.ts';
import { latestVersion, saveVersion, saveVersionMetadata, saveVersions } from './versions.ts';

export interface ResourcesDependencies {
  readonly pool: pg.Pool;
  readonly locks: Pick<Locks, 'acquire'>;
  /** The operator's defaults, with which plans are made. */
  readonly baseTypeDefaults?: BaseTypeDefaults;
}

/** The engine's `Resources`, kept in the database. */
export function createResources(dependencies: ResourcesDependencies): Resources {
  const { pool, baseTypeDefaults = {} } = dependencies;
  return {
    beginCheck: (build, plan, resolved, signal) => beginCheck(dependencies, build, plan, resolved, signal),

    async saveInputMetadata(build, resource, version, metadata) {
      const resourceId = build.pipelineId && (await findResourceId(pool, build.pipelineId, resource));
      if (resourceId) await saveVersionMetadata(pool, resourceId, version, metadata);
    },

    saveOutput: (build, plan, resolved, version, metadata) =>
      inTransaction(pool, async (tx) => {
        const resourceId = await requireResource(tx, build, plan.resource);
        const configId = await findOrCreateResourceConfig(tx, resolved);
        // This comes first, so that saving the version schedules the jobs of this resource.
        const scopeId = await enterResourceScope(tx, resourceId, configId, plan, baseTypeDefaults);
        if (scopeId !== undefined && (await lockScope(tx, scopeId))) await saveVersion(tx, scopeId, version, metadata);
        await tx.query(
          `INSERT INTO build_output (build_id, name, resource_id, version_digest, version)
           VALUES ($1, $2, $3, json_digest($4::jsonb), $4::jsonb) ON CONFLICT DO NOTHING`,
          [build.id, plan.name, resourceId, JSON.stringify(version)],
        );
      }),
  };
}

async function beginCheck(
  { pool, locks, baseTypeDefaults = {} }: ResourcesDependencies,
  build: BuildInfo,
  plan: CheckPlan,
  resolved: ResolvedResource,
  signal: AbortSignal,
): Promise<CheckSession> {
  const { config, scopeId, resourceId } = await inTransaction(pool, (tx) =>
    enterScope(tx, build, plan, resolved, baseTypeDefaults),
  );
  const isNeeded = async () => mustRun(plan, await readLastCheck(pool, scopeId, build.id));
  if (!(await isNeeded())) {
    await postponeCheck(pool, scopeId, plan);
    return skipped(pool, config, scopeId);
  }
  const lock = await locks.acquire('scope', scopeId, signal);
  try {
    // The check that held the lock before may have answered the question.
    if (!(await isNeeded())) {
      await lock.release();
      return await skipped(pool, config, scopeId);
    }
    const from = await versionToCheckFrom(pool, plan, scopeId, resourceId);
    await recordCheckStart(pool, scopeId, resourceId === undefined ? undefined : build.id);
    return running(pool, plan, { config, scopeId, from }, lock);
  } catch (error) {
    await lock.release();
    throw error;
  }
}

/** Finds the scope that a check adds to, and points the resource or type that is checked to it. */
async function enterScope(
  tx: Queryable,
  build: BuildInfo,
  plan: CheckPlan,
  resolved: ResolvedResource,
  baseTypeDefaults: BaseTypeDefaults,
) {
  const { resource, resource_type: type, prototype } = plan;
  const resourceId = resource === undefined ? undefined : await requireResource(tx, build, resource);
  const config = await findOrCreateResourceConfig(tx, resolved);
  if (resourceId !== undefined) {
    const scopeId = await enterResourceScope(tx, resourceId, config, plan, baseTypeDefaults);
    if (scopeId !== undefined) return { config, scopeId, resourceId };
    const message = `the configuration of resource '${resource}' has changed since this check was made`;
    throw new DbError('reconfigured', message);
  }
  const scopeId = await findOrCreateScope(tx, config);
  if (build.pipelineId !== undefined) {
    if (type) await pointTypeToScope(tx, 'resource_type', build.pipelineId, type, scopeId, plan, baseTypeDefaults);
    if (prototype)
      await pointTypeToScope(tx, 'prototype', build.pipelineId, prototype, scopeId, plan, baseTypeDefaults);
  }
  return { config, scopeId, resourceId };
}

async function requireResource(db: Queryable, build: BuildInfo, name: string): Promise<number> {
  const id = build.pipelineId === undefined ? undefined : await findResourceId(db, build.pipelineId, name);
  if (id === undefined) throw new DbError('not-found', `resource '${name}' has been deleted from the pipeline`);
  return id;
}

/** Locks the scope until the end of the transaction. False: it was deleted, because the configuration has changed. */
async function lockScope(tx: Queryable, scopeId: number): Promise<boolean> {
  const { rowCount } = await tx.query('SELECT FROM resource_scope WHERE id = $1 FOR NO KEY UPDATE', [scopeId]);
  return rowCount === 1;
}

async function skipped(pool: pg.Pool, config: number, scopeId: number): Promise<CheckSession> {
  const latest = await latestVersion(pool, scopeId);
  const skip = latest ? { latest } : {};
  return {
    config,
    skip,
    recordVersions: async () => skip,
    recordFailure: async () => {},
    [Symbol.asyncDispose]: async () => {},
  };
}

function running(
  pool: pg.Pool,
  plan: CheckPlan,
  { config, scopeId, from }: { config: number; scopeId: number; from: CheckSession['from'] },
  lock: Lock,
): CheckSession {
  const session: CheckSession = {
    config,
    async recordVersions(versions) {
      await inTransaction(pool, async (tx) => {
        if (!(await lockScope(tx, scopeId))) return;
        await saveVersions(tx, scopeId, versions);
        await recordCheckEnd(tx, scopeId, plan, true);
      });
      const latest = versions.at(-1) ?? (await latestVersion(pool, scopeId));
      return latest ? { latest } : {};
    },
    recordFailure: () => inTransaction(pool, (tx) => recordCheckEnd(tx, scopeId, plan, false)),
    [Symbol.asyncDispose]: () => lock.release(),
  };
  return from ? { ...session, from } : session;
}
