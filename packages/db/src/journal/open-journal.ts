import type { JsonObject } from '@seaplane/config';
import type { LogPosition } from '@seaplane/engine';
import type pg from 'pg';
import { inTransaction } from '../queryable.ts';
import { refused } from './refused.ts';

/** The contents of a build's journal, as read by the holder of its pen. */
export interface OpenJournal {
  /** The number of the pen. Each new holder gets a greater number; only the greatest may write. */
  readonly writer: number;
  /** How many earlier holders in a row died with the pen and wrote nothing. */
  readonly deaths: number;
  /** By `valueKey`. */
  readonly values: Map<string, JsonObject>;
  readonly emitted: Set<string>;
  readonly positions: Map<string, LogPosition>;
}

export function valueKey({ planId, what }: { readonly planId: string; readonly what: string }): string {
  return `${what} ${planId}`;
}

/**
 * If the last holder did not let go of the pen, its web has died. That death counts if the journal is as it was when that
 * holder took the pen. A journal that has grown since starts the count again.
 */
const TAKE_PEN = `
  UPDATE build_journal_head h SET
    writer = writer + 1, held = true, size_when_taken = next_event_id + r.records,
    deaths = CASE
      WHEN size_when_taken IS NULL OR next_event_id + r.records > size_when_taken THEN '{}'
      WHEN held THEN deaths || writer
      ELSE deaths
    END
  FROM (SELECT count(*) AS records FROM build_journal WHERE build_id = $1) r
  WHERE build_id = $1 AND NOT closed
  RETURNING writer, cardinality(deaths) AS deaths`;

/** Takes the pen and reads the whole journal. */
export function openJournal(pool: pg.Pool, buildId: number): Promise<OpenJournal> {
  return inTransaction(pool, async (tx) => {
    // From here to the commit nobody else can write, so the journal is read completely.
    const pen = await tx.query<Pick<OpenJournal, 'writer' | 'deaths'>>(TAKE_PEN, [buildId]);
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
      ...pen.rows[0],
      values: new Map(values.rows.map((row) => [valueKey(row), row.value])),
      emitted: new Set(emitted.rows.map(({ key }) => key)),
      positions: new Map(positions.rows.map(({ planId, stdout, stderr }) => [planId, { stdout, stderr }])),
    };
  });
}
