import type { Queryable } from '../queryable.ts';

/** Those who may see a pipeline: its team, and everybody if it is public. */
export interface PipelineAudience {
  readonly id: number;
  readonly teamId: number;
  readonly public: boolean;
}

/** The audiences of pipelines that still exist. */
export async function readAudiences(db: Queryable, pipelineIds: readonly number[]): Promise<PipelineAudience[]> {
  const { rows } = await db.query<PipelineAudience>(
    'SELECT id, team_id AS "teamId", public FROM pipeline WHERE id = ANY($1::int[])',
    [pipelineIds],
  );
  return rows;
}
