import type { Queryable } from '../queryable.ts';

export interface SharedName {
  readonly name: string;
  readonly pipelineName: string;
  readonly teamName: string;
}

export interface SharedBy {
  readonly resources: readonly SharedName[];
  readonly resourceTypes: readonly SharedName[];
}

/** Lists all resources and types that have this scope. */
export async function listSharedBy(db: Queryable, scopeId: number): Promise<SharedBy> {
  const select = (table: 'resource' | 'resource_type') => `
    SELECT '${table}' AS kind, x.id, x.name, p.name AS "pipelineName", t.name AS "teamName"
    FROM ${table} x JOIN pipeline p ON p.id = x.pipeline_id JOIN team t ON t.id = p.team_id
    WHERE x.scope_id = $1 AND x.active`;
  const { rows } = await db.query<SharedName & { kind: 'resource' | 'resource_type' }>(
    `${select('resource')} UNION ALL ${select('resource_type')} ORDER BY kind, id`,
    [scopeId],
  );
  const of = (kind: 'resource' | 'resource_type') =>
    rows
      .filter((row) => row.kind === kind)
      .map(({ name, pipelineName, teamName }) => ({ name, pipelineName, teamName }));
  return { resources: of('resource'), resourceTypes: of('resource_type') };
}
