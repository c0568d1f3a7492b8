import type { Version } from '@seaplane/config';
import type { CacheRow, TaskCacheKey } from '@seaplane/orchestrator';
import type { Queryable } from '../queryable.ts';
import { type ConfigIdentity, keyOf } from '../resources/resource-config.ts';

/**
 * Finds a cache for a build and records the use in the same statement: the cache, and its artifact even if a later fetch
 * replaces it, are kept until the build has ended.
 *
 * The UPDATE of the row is what a collector sees: if the collector reads the row first, its DELETE waits for this
 * statement and then finds a cache that was used a moment ago. If the collector deletes first, nothing is found.
 */
export async function findResourceCache(
  db: Queryable,
  cacheId: string,
  buildId: number,
): Promise<CacheRow | undefined> {
  const { rows } = await db.query<CacheRow>(
    `WITH found AS (
       UPDATE resource_cache SET last_used_at = now() WHERE id = $1
       RETURNING id, artifact_id, version, metadata
     ), used_cache AS (
       INSERT INTO resource_cache_use (build_id, cache_id) SELECT $2, id FROM found ON CONFLICT DO NOTHING
     ), used_artifact AS (
       INSERT INTO artifact_use (build_id, artifact_id) SELECT $2, artifact_id FROM found ON CONFLICT DO NOTHING
     )
     SELECT id AS "cacheId", artifact_id AS "artifactId", version, metadata FROM found`,
    [cacheId, buildId],
  );
  return rows[0];
}

/** Saves a cache of a configuration. It replaces an earlier cache of the same id, whose artifact has gone. */
export async function saveResourceCache(db: Queryable, cache: CacheRow, of: ConfigIdentity): Promise<void> {
  await db.query(
    `INSERT INTO resource_cache (id, artifact_id, version, metadata, parent, source_digest) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT (id) DO UPDATE SET artifact_id = excluded.artifact_id, version = excluded.version,
       metadata = excluded.metadata, parent = excluded.parent, source_digest = excluded.source_digest,
       last_used_at = now()`,
    [cache.cacheId, cache.artifactId, JSON.stringify(cache.version), JSON.stringify(cache.metadata), ...keyOf(of)],
  );
}

/**
 * Deletes the caches of a resource as it is configured now, or those of one version. Returns how many there were. Builds
 * that have got one keep its artifact until they end.
 */
export async function clearResourceCaches(db: Queryable, resourceId: number, version?: Version): Promise<number> {
  const { rowCount } = await db.query(
    `WITH cleared AS (
       DELETE FROM resource_cache cache USING resource r
       JOIN resource_scope s ON s.id = r.scope_id JOIN resource_config c ON c.id = s.resource_config_id
       WHERE r.id = $1 AND cache.parent = c.parent AND cache.source_digest = c.source_digest
         AND ($2::jsonb IS NULL OR cache.version = $2)
       RETURNING cache.id, cache.artifact_id
     ), kept AS (
       INSERT INTO artifact_use (build_id, artifact_id)
       SELECT used.build_id, cleared.artifact_id FROM cleared JOIN resource_cache_use used ON used.cache_id = cleared.id
       ON CONFLICT DO NOTHING
     )
     SELECT FROM cleared`,
    [resourceId, version === undefined ? null : JSON.stringify(version)],
  );
  return rowCount ?? 0;
}

/**
 * Keeps the cache until the build has ended. The row is locked first: if a collector is deleting the cache, this waits
 * for the collector and then records nothing.
 */
export async function recordCacheUse(db: Queryable, cacheId: string, buildId: number): Promise<void> {
  await db.query(
    `WITH used AS (SELECT id FROM resource_cache WHERE id = $1 FOR KEY SHARE)
     INSERT INTO resource_cache_use (build_id, cache_id) SELECT $2, id FROM used ON CONFLICT DO NOTHING`,
    [cacheId, buildId],
  );
}

/** Keeps the cache that holds an artifact as an image of the build: until the build's job has succeeded again. */
export async function recordImageUse(db: Queryable, artifactId: string, buildId: number): Promise<void> {
  await db.query(
    `WITH used AS (SELECT id FROM resource_cache WHERE artifact_id = $1 FOR KEY SHARE)
     INSERT INTO resource_cache_use (build_id, cache_id, image) SELECT $2, id, true FROM used
     ON CONFLICT (build_id, cache_id) DO UPDATE SET image = true`,
    [artifactId, buildId],
  );
}

/**
 * Finds the artifact that holds a task's cache directory. The artifact is kept until the build has ended, even if another
 * build saves a newer one: the row that refers to it cannot change before this statement has recorded the use.
 */
export async function findTaskCache(db: Queryable, key: TaskCacheKey, buildId: number): Promise<string | undefined> {
  const { rows } = await db.query<{ artifactId: string }>(
    `WITH found AS (
       UPDATE task_cache SET last_used_at = now()
       WHERE job_id = $1 AND step_name = $2 AND path = $3 AND worker_name = $4
         AND (ttl IS NULL OR last_used_at > now() - ttl)
       RETURNING artifact_id
     ), used AS (
       INSERT INTO artifact_use (build_id, artifact_id) SELECT $5, artifact_id FROM found ON CONFLICT DO NOTHING
     )
     SELECT artifact_id AS "artifactId" FROM found`,
    [key.jobId, key.stepName, key.path, key.worker, buildId],
  );
  return rows[0]?.artifactId;
}

/** The worker of each cache of these paths. Finding one is not a use of it. */
export async function findTaskCacheWorkers(
  db: Queryable,
  { jobId, stepName }: Pick<TaskCacheKey, 'jobId' | 'stepName'>,
  paths: readonly string[],
): Promise<string[]> {
  const { rows } = await db.query<{ worker: string }>(
    `SELECT worker_name AS worker FROM task_cache
     WHERE job_id = $1 AND step_name = $2 AND path = ANY($3) AND (ttl IS NULL OR last_used_at > now() - ttl)
     ORDER BY worker_name`,
    [jobId, stepName, paths],
  );
  return rows.map(({ worker }) => worker);
}

/**
 * Saves a task cache; the last one saved is found, until `ttlMs` after its last use. The cache of a deleted job is not
 * saved.
 */
export async function saveTaskCache(
  db: Queryable,
  key: TaskCacheKey,
  artifactId: string,
  ttlMs?: number,
): Promise<void> {
  await db.query(
    `INSERT INTO task_cache (job_id, step_name, path, worker_name, artifact_id, ttl)
     SELECT id, $2, $3, $4, $5, make_interval(secs => $6) FROM job WHERE id = $1
     ON CONFLICT (job_id, step_name, path, worker_name)
     DO UPDATE SET artifact_id = excluded.artifact_id, ttl = excluded.ttl, last_used_at = now()`,
    [key.jobId, key.stepName, key.path, key.worker, artifactId, ttlMs === undefined ? undefined : ttlMs / 1000],
  );
}

/** Deletes the caches of a job's step, or the one at a path. Returns how many there were. */
export async function clearTaskCaches(db: Queryable, jobId: number, stepName: string, path?: string): Promise<number> {
  const { rowCount } = await db.query(
    'DELETE FROM task_cache WHERE job_id = $1 AND step_name = $2 AND ($3::text IS NULL OR path = $3)',
    [jobId, stepName, path],
  );
  return rowCount ?? 0;
}
