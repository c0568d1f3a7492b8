import { inTransaction, type Queryable } from '../queryable.ts';

/** In milliseconds. */
export interface ArtifactAges {
  /** Uploads, and outputs that were published. */
  readonly uploadMs: number;
  /** Resource caches that no build uses. */
  readonly idleCacheMs: number;
  /** Artifacts stored a moment ago: a reference to them may be about to be saved. */
  readonly storedMs: number;
}

export const ARTIFACT_AGES: ArtifactAges = { uploadMs: 12 * 3_600_000, idleCacheMs: 24 * 3_600_000, storedMs: 60_000 };

/**
 * Deletes references that keep artifacts: the uses of builds that have ended, uploads and task caches after their time, and
 * resource caches that were not used for a while, that no build uses (`resource_cache_use`) and that are not the image of a type.
 */
export function forgetUnusedArtifacts(db: Queryable, { uploadMs, idleCacheMs }: ArtifactAges): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.query('DELETE FROM worker_artifact WHERE created_at < now() - make_interval(secs => $1)', [
      uploadMs / 1000,
    ]);
    await tx.query('DELETE FROM task_cache WHERE last_used_at <= now() - ttl');
    await tx.query(
      `DELETE FROM artifact_use u USING build b WHERE u.build_id = b.id AND b.status NOT IN ('pending', 'started')`,
    );
    await tx.query(
      `DELETE FROM resource_cache_use u USING build b
       WHERE u.build_id = b.id AND NOT b.interceptible AND (NOT u.image OR b.job_id IS NULL)`,
    );
    await tx.query(
      `DELETE FROM resource_cache c
       WHERE c.last_used_at < now() - make_interval(secs => $1)
         AND NOT EXISTS (SELECT FROM resource_cache_use u WHERE u.cache_id = c.id)
         AND NOT EXISTS (SELECT FROM resource_config rc WHERE rc.parent = 'cache:' || c.id
           AND EXISTS (SELECT FROM resource_scope s JOIN resource r ON r.scope_id = s.id
             WHERE s.resource_config_id = rc.id AND r.active))`,
      [idleCacheMs / 1000],
    );
  });
}

/**
 * Deletes the rows of artifacts in a worker's store that nothing refers to any more, and returns their ids: the store
 * may delete them. Artifacts that a build made or uses (`artifact_use`) are kept until it has ended, and those of a
 * sandbox as long as it exists. A copy of another worker's artifact is kept as long as the artifact.
 *
 * A build finds an artifact through a row that refers to it, and records its use before that row can change. So no
 * artifact is used for the first time after this statement has found that nothing refers to it.
 */
export async function claimUnwantedArtifacts(
  db: Queryable,
  worker: string,
  { storedMs, uploadMs }: Pick<ArtifactAges, 'storedMs' | 'uploadMs'>,
): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `WITH own AS (
     DELETE FROM artifact a
     WHERE a.worker_name = $1
       AND CASE WHEN a.stored THEN a.stored_at <= now() - make_interval(secs => $2)
         -- An upload that was never finished.
         ELSE a.sandbox_handle IS NULL AND a.created_at <= now() - make_interval(secs => $3) END
       AND NOT EXISTS (SELECT FROM resource_cache c WHERE c.artifact_id = a.id)
       AND NOT EXISTS (SELECT FROM worker_artifact w WHERE w.artifact_id = a.id)
       AND NOT EXISTS (SELECT FROM task_cache t WHERE t.artifact_id = a.id)
       AND NOT EXISTS (SELECT FROM build b WHERE b.id = a.build_id AND b.status IN ('pending', 'started'))
       AND NOT EXISTS (SELECT FROM sandbox s WHERE s.handle = a.sandbox_handle)
       AND NOT EXISTS (SELECT FROM artifact_use u WHERE u.artifact_id = a.id)
     RETURNING a.id
     ), copies AS (
       DELETE FROM artifact_copy c
       WHERE c.worker_name = $1 AND NOT EXISTS (SELECT FROM artifact a WHERE a.id = c.artifact_id)
       RETURNING c.artifact_id
     )
     SELECT id FROM own UNION SELECT artifact_id FROM copies`,
    [worker, storedMs / 1000, uploadMs / 1000],
  );
  return rows.map(({ id }) => id).sort();
}

/** Returns those of a store's ids that the database does not know: the store may delete them. */
export async function findUnknownArtifacts(db: Queryable, worker: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `SELECT s.id FROM unnest($2::text[]) AS s (id)
     WHERE NOT EXISTS (SELECT FROM artifact a WHERE a.id = s.id AND a.worker_name = $1)
       AND NOT EXISTS (SELECT FROM artifact_copy c WHERE c.artifact_id = s.id AND c.worker_name = $1)
     ORDER BY s.id`,
    [worker, ids],
  );
  return rows.map(({ id }) => id);
}
