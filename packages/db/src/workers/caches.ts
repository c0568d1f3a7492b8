import type { CacheRow, TaskCacheKey } from '@seaplane/orchestrator';
import type { Queryable } from '../queryable.ts';

/** Finds a cache. Finding counts as a use: the cache is kept for a while after it. */
export async function findResourceCache(db: Queryable, cacheId: string): Promise<CacheRow | undefined> {
  const { rows } = await db.query<CacheRow>(
    `UPDATE resource_cache SET last_used_at = now() WHERE id = $1
     RETURNING id AS "cacheId", artifact_id AS "artifactId", version, metadata`,
    [cacheId],
  );
  return rows[0];
}

/** Saves a cache. It replaces an earlier cache of the same id, whose artifact has gone. */
export async function saveResourceCache(db: Queryable, cache: CacheRow): Promise<void> {
  await db.query(
    `INSERT INTO resource_cache (id, artifact_id, version, metadata) VALUES ($1, $2, $3, $4)
     ON CONFLICT (id) DO UPDATE SET artifact_id = excluded.artifact_id, version = excluded.version,
       metadata = excluded.metadata, last_used_at = now()`,
    [cache.cacheId, cache.artifactId, JSON.stringify(cache.version), JSON.stringify(cache.metadata)],
  );
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

/** Finds the artifact that holds a task's cache directory. */
export async function findTaskCache(db: Queryable, key: TaskCacheKey): Promise<string | undefined> {
  const { rows } = await db.query<{ artifactId: string }>(
    `UPDATE task_cache SET last_used_at = now()
     WHERE job_id = $1 AND step_name = $2 AND path = $3 AND worker_name = $4 RETURNING artifact_id AS "artifactId"`,
    [key.jobId, key.stepName, key.path, key.worker],
  );
  return rows[0]?.artifactId;
}

/** Saves a task cache; the last one saved is found. The cache of a deleted job is not saved. */
export async function saveTaskCache(db: Queryable, key: TaskCacheKey, artifactId: string): Promise<void> {
  await db.query(
    `INSERT INTO task_cache (job_id, step_name, path, worker_name, artifact_id)
     SELECT id, $2, $3, $4, $5 FROM job WHERE id = $1
     ON CONFLICT (job_id, step_name, path, worker_name)
     DO UPDATE SET artifact_id = excluded.artifact_id, last_used_at = now()`,
    [key.jobId, key.stepName, key.path, key.worker, artifactId],
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
