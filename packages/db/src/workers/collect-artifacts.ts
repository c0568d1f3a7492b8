import { inTransaction, type Queryable } from '../queryable.ts';

/** In milliseconds. */
export interface ArtifactAges {
  /** Uploads, and outputs that were published. */
  readonly uploadMs: number;
  /** Resource caches that no build uses. */
  readonly idleCacheMs: number;
  /** What was just stored may be about to be referred to. */
  readonly storedMs: number;
}

export const ARTIFACT_AGES: ArtifactAges = { uploadMs: 12 * 3_600_000, idleCacheMs: 24 * 3_600_000, storedMs: 60_000 };

/**
 * Forgets what keeps artifacts: uploads after their time, resource caches that no build uses or has as its image, no
 * type's checks run from, and that were not used for a while. What a running build may have found before now is left to it.
 */
export function forgetUnusedArtifacts(db: Queryable, { uploadMs, idleCacheMs }: ArtifactAges): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.query('DELETE FROM worker_artifact WHERE created_at < now() - make_interval(secs => $1)', [
      uploadMs / 1000,
    ]);
    await tx.query(
      `DELETE FROM resource_cache_use u USING build b
       WHERE u.build_id = b.id AND NOT b.interceptible AND (NOT u.image OR b.job_id IS NULL)`,
    );
    await tx.query(
      `DELETE FROM resource_cache c
       WHERE c.last_used_at < now() - make_interval(secs => $1)
         AND NOT EXISTS (SELECT FROM resource_cache_use u WHERE u.cache_id = c.id)
         AND NOT EXISTS (SELECT FROM build b WHERE b.status = 'started' AND b.started_at <= c.last_used_at)
         AND NOT EXISTS (SELECT FROM resource_config rc WHERE rc.parent = 'cache:' || c.id
           AND EXISTS (SELECT FROM resource_scope s JOIN resource r ON r.scope_id = s.id
             WHERE s.resource_config_id = rc.id AND r.active))`,
      [idleCacheMs / 1000],
    );
  });
}

/**
 * Forgets artifacts in a worker's store that nothing refers to any more, and returns their ids: the store may delete them.
 * Those of a build that may still run steps, or of a sandbox that is still there, are left alone.
 */
export async function claimUnwantedArtifacts(
  db: Queryable,
  worker: string,
  { storedMs, uploadMs }: Pick<ArtifactAges, 'storedMs' | 'uploadMs'>,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `DELETE FROM artifact a
     WHERE a.worker_name = $1
       AND CASE WHEN a.stored THEN a.stored_at <= now() - make_interval(secs => $2)
         -- An upload that was never finished.
         ELSE a.sandbox_handle IS NULL AND a.created_at <= now() - make_interval(secs => $3) END
       AND NOT EXISTS (SELECT FROM resource_cache c WHERE c.artifact_id = a.id)
       AND NOT EXISTS (SELECT FROM worker_artifact w WHERE w.artifact_id = a.id)
       AND NOT EXISTS (SELECT FROM task_cache t WHERE t.artifact_id = a.id)
       AND NOT EXISTS (SELECT FROM build b WHERE b.id = a.build_id AND b.status IN ('pending', 'started'))
       AND NOT EXISTS (SELECT FROM sandbox s WHERE s.handle = a.sandbox_handle)
       -- A cache that was replaced may be a running build's input.
       AND NOT EXISTS (SELECT FROM build b WHERE b.status = 'started' AND b.started_at <= coalesce(a.stored_at, now()))
     RETURNING a.id`,
    [worker, storedMs / 1000, uploadMs / 1000],
  );
  return rows.map(({ id }) => id).sort();
}

/** Those of the ids that a worker's store has and that nobody knows: it may delete them. */
export async function findUnknownArtifacts(db: Queryable, worker: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT s.id FROM unnest($2::text[]) AS s (id)
     WHERE NOT EXISTS (SELECT FROM artifact a WHERE a.id = s.id AND a.worker_name = $1) ORDER BY s.id`,
    [worker, ids],
  );
  return rows.map(({ id }) => id);
}
