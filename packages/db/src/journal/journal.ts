import type { JsonObject } from '@seaplane/config';
import type { BuildEvent, FinalStatus, Journal, JournalKey, LogPosition } from '@seaplane/engine';
import type { BuildPen } from '@seaplane/orchestrator';
import type pg from 'pg';
import { finishBuild } from '../builds/finish-build.ts';
import { codeOf } from '../errors.ts';
import { eventColumns } from '../events/append-events.ts';
import { inTransaction, type Queryable } from '../queryable.ts';
import { vaultOf } from '../secrets/vault.ts';
import { type OpenJournal, openJournal, valueKey } from './open-journal.ts';
import { refused } from './refused.ts';

/** The engine's journal, and the end of the build, which only the web that runs it may record. */
export interface BuildJournal extends Journal {
  /**
   * Performs an action in the database and records its result, in one transaction. If a result is recorded already,
   * returns that without acting. Undefined: there was nothing to do, and nothing is recorded.
   */
  doOnce(key: JournalKey, act: (tx: pg.ClientBase) => Promise<JsonObject | undefined>): Promise<JsonObject | undefined>;
  /** The pen that this journal writes with. */
  pen(): Promise<BuildPen>;
  /** How many webs in a row died while they held the build and wrote nothing to its journal. Takes the pen. */
  countDeaths(): Promise<number>;
  /**
   * Records that this web has run the build for a while, so that its death would not count: something else caused it, for
   * example an operator.
   */
  recordSurvival(): Promise<void>;
  /**
   * Records that this web lives and has let go of the build. May be called late, when another web has the pen and has
   * counted a death: that death then no longer counts. Does nothing if the pen was never taken.
   */
  letGo(): Promise<void>;
  /** Ends the build. Returns false if it had ended already. */
  finish(status: FinalStatus): Promise<boolean>;
}

/**
 * The journal of a build for the web that runs it now. Its first use takes the pen. After that, writes of an earlier
 * holder are refused with `build-taken-over`: its web may be slow or cut off and not know that it has lost the build.
 * So this journal is the only writer, and may keep in memory what it has read.
 *
 * The journal calls `announce` when it has appended events. Without it, watchers find them when they sweep.
 */
export function createJournal(
  pool: pg.Pool,
  buildId: number,
  announce: (buildId: number) => void = () => {},
): BuildJournal {
  let opened: Promise<OpenJournal> | undefined;
  const open = () => {
    opened ??= openJournal(pool, buildId).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };

  return {
    async read(key) {
      return (await open()).values.get(valueKey(key));
    },

    async record(key, value) {
      const { writer, values } = await open();
      const known = values.get(valueKey(key));
      if (known) return known;
      const recorded = await recordValue(pool, buildId, writer, key, value);
      values.set(valueKey(key), recorded);
      return recorded;
    },

    async doOnce(key, act) {
      const { writer, values } = await open();
      const known = values.get(valueKey(key));
      if (known) return known;
      const done = await inTransaction(pool, async (tx) => {
        const value = await act(tx);
        return value && recordValue(tx, buildId, writer, key, value);
      });
      if (done) values.set(valueKey(key), done);
      return done;
    },

    async emit(key, event) {
      const { writer, emitted } = await open();
      if (emitted.has(key)) return;
      await emitOnce(pool, buildId, writer, key, event);
      emitted.add(key);
      announce(buildId);
    },

    async appendLog(planId, events, position) {
      const { writer, positions } = await open();
      await appendLog(pool, buildId, writer, planId, events, position);
      positions.set(planId, position);
      announce(buildId);
    },

    async logPosition(planId) {
      return (await open()).positions.get(planId) ?? { stdout: 0, stderr: 0 };
    },

    async now() {
      const { rows } = await pool.query<{ ms: number }>(
        'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
      );
      return rows[0]?.ms ?? Number.NaN;
    },

    async pen() {
      return { buildId, writer: (await open()).writer };
    },

    async countDeaths() {
      return (await open()).deaths;
    },

    async recordSurvival() {
      const { writer } = await open();
      await pool.query('UPDATE build_journal_head SET size_when_taken = NULL WHERE build_id = $1 AND writer = $2', [
        buildId,
        writer,
      ]);
    },

    async letGo() {
      if (!opened) return;
      const { writer } = await opened;
      await pool.query(
        `UPDATE build_journal_head SET held = held AND writer <> $2, deaths = array_remove(deaths, $2)
         WHERE build_id = $1 AND NOT closed`,
        [buildId, writer],
      );
    },

    async finish(status) {
      const { writer } = await open();
      return inTransaction(pool, async (tx) => {
        // Locks the build before its journal, as all other code does, so that there is no deadlock.
        await tx.query('SELECT FROM build WHERE id = $1 FOR NO KEY UPDATE', [buildId]);
        const held = await tx.query(
          'SELECT FROM build_journal_head WHERE build_id = $1 AND (writer = $2 OR closed) FOR UPDATE',
          [buildId, writer],
        );
        if (held.rowCount === 0) throw await refused(tx, buildId);
        return finishBuild(tx, buildId, status);
      });
    },
  };
}

async function recordValue(
  db: Queryable,
  buildId: number,
  writer: number,
  { planId, what }: JournalKey,
  value: JsonObject,
): Promise<JsonObject> {
  const vault = vaultOf(db);
  const inserted = await db.query<{ value: JsonObject | string }>({
    name: 'journal-record',
    text: `
      INSERT INTO build_journal (build_id, plan_id, what, value, succeeded)
      SELECT $1, $3, $4, $5::json, $6 FROM build_journal_head WHERE build_id = $1 AND writer = $2 AND NOT closed FOR SHARE
      ON CONFLICT DO NOTHING
      RETURNING value`,
    values: [buildId, writer, planId, what, vault.seal('build_journal.value', value), hasSucceeded(what, value)],
  });
  if (inserted.rows[0]) return vault.open('build_journal.value', inserted.rows[0].value);
  const found = await db.query<{ value: JsonObject | string }>(
    `SELECT j.value FROM build_journal j JOIN build_journal_head h USING (build_id)
     WHERE j.build_id = $1 AND h.writer = $2 AND NOT h.closed AND j.plan_id = $3 AND j.what = $4`,
    [buildId, writer, planId, what],
  );
  if (found.rows[0]) return vault.open('build_journal.value', found.rows[0].value);
  throw await refused(db, buildId);
}

/** Whether this is the result of a step that succeeded. */
function hasSucceeded(what: JournalKey['what'], { end, done }: JsonObject): boolean {
  return what === 'result' && end === 'done' && (done as JsonObject | undefined)?.['exitStatus'] === 0;
}

async function emitOnce(pool: pg.Pool, buildId: number, writer: number, key: string, event: BuildEvent): Promise<void> {
  const { types, versions, data } = eventColumns([event]);
  try {
    const { rowCount } = await pool.query({
      name: 'journal-emit',
      text: `
        WITH head AS (
          UPDATE build_journal_head SET next_event_id = next_event_id + 1
          WHERE build_id = $1 AND writer = $2 AND NOT closed
          RETURNING next_event_id - 1 AS event_id
        ), appended AS (
          INSERT INTO build_event (build_id, event_id, key, type, version, data)
          SELECT $1, event_id, $3, $4, $5, $6::json FROM head
        )
        SELECT FROM head`,
      values: [buildId, writer, key, types[0], versions[0], data[0]],
    });
    if (rowCount === 0) throw await refused(pool, buildId);
  } catch (error) {
    // Emitted before. The whole statement is undone, so no event number is skipped.
    if (codeOf(error) === '23505') return;
    throw error;
  }
}

async function appendLog(
  pool: pg.Pool,
  buildId: number,
  writer: number,
  planId: string,
  events: readonly BuildEvent[],
  { stdout, stderr }: LogPosition,
): Promise<void> {
  const { types, versions, data } = eventColumns(events);
  const { rowCount } = await pool.query({
    name: 'journal-append-log',
    text: `
      WITH head AS (
        UPDATE build_journal_head SET next_event_id = next_event_id + cardinality($6::text[])
        WHERE build_id = $1 AND writer = $2 AND NOT closed
        RETURNING next_event_id - cardinality($6::text[]) AS first
      ), moved AS (
        INSERT INTO build_log_position (build_id, plan_id, stdout, stderr)
        SELECT $1, $3, $4, $5 FROM head
        ON CONFLICT (build_id, plan_id) DO UPDATE SET stdout = excluded.stdout, stderr = excluded.stderr
      ), appended AS (
        INSERT INTO build_event (build_id, event_id, type, version, data)
        SELECT $1, head.first + e.n - 1, e.type, e.version, e.data::json
        FROM head, unnest($6::text[], $7::text[], $8::text[]) WITH ORDINALITY AS e (type, version, data, n)
      )
      SELECT FROM head`,
    values: [buildId, writer, planId, stdout, stderr, types, versions, data],
  });
  if (rowCount === 0) throw await refused(pool, buildId);
}
