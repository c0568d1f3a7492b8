import type { JsonObject, Version } from '@seaplane/config';
import type { Queryable } from '../queryable.ts';

/** An artifact as Concourse shows it: a volume of a worker. */
export type Volume = {
  readonly id: string;
  readonly workerName: string;
} & (
  | { readonly type: 'resource'; readonly version: Version; readonly of: VolumeResourceType }
  | {
      readonly type: 'task-cache';
      readonly pipelineId: number;
      readonly pipelineName: string;
      readonly instanceVars: JsonObject | null;
      readonly jobName: string;
      readonly stepName: string;
    }
  | { readonly type: 'container'; readonly containerHandle: string; readonly path: string }
  | { readonly type: 'artifact' }
);

/** A base type by name, or the image of a type, which is a version of another resource. Unknown: it has been deleted. */
export type VolumeResourceType =
  | { readonly base: string }
  | { readonly version: Version; readonly of: VolumeResourceType }
  | undefined;

/** How many types may be made of each other; an image of a deeper one is shown without its ancestors. */
const MAX_DEPTH = 10;

interface VolumeRow {
  readonly id: string;
  readonly worker_name: string;
  readonly cache_id: string | null;
  readonly job_name: string | null;
  readonly step_name: string | null;
  readonly pipeline_id: number | null;
  readonly pipeline_name: string | null;
  readonly instance_vars: JsonObject | null;
  readonly sandbox_handle: string | null;
  readonly sandbox_path: string | null;
}

/**
 * The artifacts of a team: what its builds made or got, the caches of its tasks, and its uploads. An artifact is shown
 * once: as a cache if it is one, else where it is.
 */
export async function listVolumes(db: Queryable, teamId: number): Promise<Volume[]> {
  const { rows } = await db.query<VolumeRow>(
    `SELECT a.id, a.worker_name, a.sandbox_handle, a.sandbox_path, cache.id AS cache_id,
       task.job_name, task.step_name, task.pipeline_id, task.pipeline_name, task.instance_vars
     FROM artifact a
     LEFT JOIN build b ON b.id = a.build_id
     LEFT JOIN LATERAL (SELECT id FROM resource_cache WHERE artifact_id = a.id LIMIT 1) cache ON true
     LEFT JOIN LATERAL (
       SELECT j.name AS job_name, t.step_name, p.id AS pipeline_id, p.name AS pipeline_name, p.instance_vars, p.team_id
       FROM task_cache t JOIN job j ON j.id = t.job_id JOIN pipeline p ON p.id = j.pipeline_id
       WHERE t.artifact_id = a.id LIMIT 1) task ON true
     WHERE b.team_id = $1 OR task.team_id = $1
       OR EXISTS (SELECT FROM worker_artifact known WHERE known.artifact_id = a.id AND known.team_id = $1)
       OR EXISTS (SELECT FROM resource_cache_use used JOIN build user_build ON user_build.id = used.build_id
                  WHERE used.cache_id = cache.id AND user_build.team_id = $1)
     ORDER BY a.worker_name, a.id`,
    [teamId],
  );
  const caches = await readCaches(
    db,
    rows.flatMap(({ cache_id }) => cache_id ?? []),
  );
  return rows.map((row) => volumeOf(row, caches));
}

interface CacheRow {
  readonly id: string;
  readonly version: Version;
  readonly parent: string | null;
}

/** The caches, and those that their types' images are, and so on. */
async function readCaches(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, CacheRow>> {
  const { rows } = await db.query<CacheRow>(
    `WITH RECURSIVE wanted AS (
       SELECT id, version, parent, 1 AS depth FROM resource_cache WHERE id = ANY($1)
       UNION
       SELECT c.id, c.version, c.parent, depth + 1 FROM wanted
       JOIN resource_cache c ON wanted.parent = 'cache:' || c.id
       WHERE depth < ${MAX_DEPTH}
     ) SELECT DISTINCT ON (id) id, version, parent FROM wanted`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row]));
}

function volumeOf(row: VolumeRow, caches: ReadonlyMap<string, CacheRow>): Volume {
  const base = { id: row.id, workerName: row.worker_name };
  const cache = row.cache_id === null ? undefined : caches.get(row.cache_id);
  if (cache) return { ...base, type: 'resource', version: cache.version, of: typeOf(cache, caches) };
  if (row.job_name !== null) {
    return {
      ...base,
      type: 'task-cache',
      pipelineId: Number(row.pipeline_id),
      pipelineName: String(row.pipeline_name),
      instanceVars: row.instance_vars,
      jobName: row.job_name,
      stepName: String(row.step_name),
    };
  }
  if (row.sandbox_handle === null) return { ...base, type: 'artifact' };
  return { ...base, type: 'container', containerHandle: row.sandbox_handle, path: String(row.sandbox_path) };
}

function typeOf({ parent }: CacheRow, caches: ReadonlyMap<string, CacheRow>, depth = 1): VolumeResourceType {
  if (parent?.startsWith('base:')) return { base: parent.slice('base:'.length) };
  const image = caches.get(parent?.slice('cache:'.length) ?? '');
  if (!image || depth > MAX_DEPTH) return undefined;
  return { version: image.version, of: typeOf(image, caches, depth + 1) };
}
