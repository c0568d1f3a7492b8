import type { Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';

/** Reads a pipeline's configuration as JSON text, exactly as saved. Undefined for an archived pipeline. */
export async function readConfigText(
  db: Queryable,
  pipelineId: number,
): Promise<{ readonly text: string; readonly version: number } | undefined> {
  const { rows } = await db.query<{ text: string; version: number }>(
    'SELECT config::text AS text, config_version AS version FROM pipeline WHERE id = $1 AND config IS NOT NULL',
    [pipelineId],
  );
  const [row] = rows;
  if (!row?.text.startsWith('"')) return row;
  return { ...row, text: vaultOf(db).openText('pipeline.config', JSON.parse(row.text) as string) };
}
