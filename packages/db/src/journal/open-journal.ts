import type { JsonObject } from '@seaplane/config';
import type { LogPosition } from '@seaplane/engine';
import type pg from 'pg';
import { oneRow, prepared } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';
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
 * If the last holder did not let go of the pen, its web has died. The death counts if the journal is as it was when that
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

const READ_JOURNAL = `
  SELECT
    (SELECT json_agg(json_build_array(plan_id, what, value)) FROM build_journal WHERE build_id = $1) AS values,
    (SELECT json_agg(key) FROM build_event WHERE build_id = $1 AND key IS NOT NULL) AS emitted,
    (SELECT json_agg(json_build_array(plan_id, stdout, stderr)) FROM build_log_position WHERE build_id = $1) AS positions`;

/**
 * Takes the pen and reads the whole journal. Two statements, without a transaction around them: earlier writers are refused
 * from the first one on, and their last write is committed before it. So the second one reads everything. If another web
 * takes the pen between the two, everything that is read is of no use, because no write of this journal will be accepted.
 */
export async function openJournal(pool: pg.Pool, buildId: number): Promise<OpenJournal> {
  const pen = await pool.query<Pick<OpenJournal, 'writer' | 'deaths'>>(prepared(TAKE_PEN, [buildId]));
  if (!pen.rows[0]) throw await refused(pool, buildId);
  const read = await pool.query<StoredJournal>(prepared(READ_JOURNAL, [buildId]));
  const { values, emitted, positions } = oneRow(read);
  return {
    ...pen.rows[0],
    values: new Map(
      values?.map(([planId, what, value]) => [
        valueKey({ planId, what }),
        vaultOf(pool).open('build_journal.value', value),
      ]),
    ),
    emitted: new Set(emitted),
    positions: new Map(positions?.map(([planId, stdout, stderr]) => [planId, { stdout, stderr }])),
  };
}

interface StoredJournal {
  readonly values: readonly (readonly [planId: string, what: string, value: JsonObject | string])[] | null;
  readonly emitted: readonly string[] | null;
  readonly positions: readonly (readonly [planId: string, stdout: number, stderr: number])[] | null;
}
