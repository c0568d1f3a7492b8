import type { TestApi } from './test-api.ts';

/** Gives a resource versions, oldest first, as a check would. Returns their ids. */
export async function saveVersions(
  api: TestApi,
  pipelineId: number,
  resource: string,
  versions: readonly Record<string, string>[],
): Promise<number[]> {
  const { rows } = await api.pool.query<{ id: number }>(
    `WITH own AS (SELECT id FROM resource WHERE pipeline_id = $1 AND name = $2),
       config AS (INSERT INTO resource_config (parent, source_digest)
         SELECT 'base:test', own.id::text FROM own RETURNING id),
       scope AS (INSERT INTO resource_scope (resource_config_id, resource_id)
         SELECT config.id, own.id FROM config, own RETURNING id),
       pointed AS (UPDATE resource SET scope_id = scope.id FROM scope, own WHERE resource.id = own.id)
     INSERT INTO resource_version (scope_id, version, check_order, metadata)
     SELECT scope.id, v.version::jsonb, v.n, '[{"name":"by","value":"somebody"}]'
     FROM scope, unnest($3::text[]) WITH ORDINALITY AS v (version, n) RETURNING id`,
    [pipelineId, resource, versions.map((version) => JSON.stringify(version))],
  );
  return rows.map(({ id }) => id);
}
