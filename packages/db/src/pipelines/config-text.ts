import type { Queryable } from '../queryable.ts';

/** Reads a pipeline's configuration as JSON text, exactly as saved. Undefined for an archived pipeline. */
export async function readConfigText(
  db: Queryable,
  pipelineId: number,
): Promise<{ readonly text: string; readonly version: number } | undefined> {
  const { rows } = await db.query<{ text: string; version: number }>(
    'SELECT config::text AS text, config_version AS version FROM pipeline WHERE id = $1 AND config IS NOT NULL',
    [pipelineId],
  );
  return rows[0];
}
