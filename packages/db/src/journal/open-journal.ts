import type { JsonObject } from '@seaplane/config';
import type { LogPosition } from '@seaplane/engine';
import type pg from 'pg';
import { inTransaction } from '../queryable.ts';
import { refused } from './refused.ts';

/** The contents of a build's journal, as read by the holder of its pen. */
export interface OpenJournal {
  /** The number of the pen. Each new holder gets a greater number; only the greatest may write. */
  readonly writer: number;
  /** By `valueKey`. */
  readonly values: Map<string, JsonObject>;
  readonly emitted: Set<string>;
  readonly positions: Map<string, LogPosition>;
}

export function valueKey({ planId, what }: { readonly planId: string; readonly what: string }): string {
  return `${what} ${planId}`;
}

/** Takes the pen and reads the whole journal. */
export function openJournal(pool: pg.Pool, buildId: number): Promise<OpenJournal> {
  return inTransaction(pool, async (tx) => {
    // From here to the commit nobody else can write, so the journal is read completely.
    const pen = await tx.query<{ writer: number }>(
      'UPDATE build_journal_head SET writer = writer + 1 WHERE build_id = $1 AND NOT closed RETURNING writer',
      [buildId],
    );
    if (!pen.rows[0]) throw await refused(tx, buildId);
    const values = await tx.query<{ planId: string; what: string; value: JsonObject }>(
      'SELECT plan_id AS "planId", what, value FROM build_journal WHERE build_id = $1',
      [buildId],
    );
    const emitted = await tx.query<{ key: string }>(
      'SELECT key FROM build_event WHERE build_id = $1 AND key IS NOT NULL',
      [buildId],
    );
    const positions = await tx.query<{ planId: string } & LogPosition>(
      'SELECT plan_id AS "planId", stdout, stderr FROM build_log_position WHERE build_id = $1',
      [buildId],
    );
    return {
      writer: pen.rows[0].writer,
      values: new Map(values.rows.map((row) => [valueKey(row), row.value])),
      emitted: new Set(emitted.rows.map(({ key }) => key)),
      positions: new Map(positions.rows.map(({ planId, stdout, stderr }) => [planId, { stdout, stderr }])),
    };
  });
}
