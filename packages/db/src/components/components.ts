import { fromRow, type Row } from '../from-row.ts';
import { notify } from '../notifications/channels.ts';
import { inTransaction, oneRow, type Queryable } from '../queryable.ts';

/** A background loop of web. Every web has all of them. */
export interface Component {
  readonly name: string;
  readonly intervalMs: number;
  readonly paused: boolean;
  readonly lastRanAt?: Date;
}

const COLUMNS = 'name, interval_ms AS "intervalMs", paused, last_ran_at AS "lastRanAt"';

/** Adds a component, or updates its interval. The last run and the pause of a known component do not change. */
export async function registerComponent(db: Queryable, name: string, intervalMs: number): Promise<Component> {
  const result = await db.query<Row<Component>>(
    `INSERT INTO component (name, interval_ms) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET interval_ms = excluded.interval_ms RETURNING ${COLUMNS}`,
    [name, intervalMs],
  );
  return fromRow<Component>(oneRow(result));
}

export async function listComponents(db: Queryable): Promise<Component[]> {
  const { rows } = await db.query<Row<Component>>(`SELECT ${COLUMNS} FROM component ORDER BY name`);
  return rows.map((row) => fromRow<Component>(row));
}

/** Records how many milliseconds ago components last ran. A later run that another web recorded is kept. */
export async function recordComponentRuns(db: Queryable, agoMs: ReadonlyMap<string, number>): Promise<void> {
  await db.query(
    `WITH ran AS (
       SELECT name, clock_timestamp() - make_interval(secs => ago_ms / 1000) AS at
       FROM component JOIN unnest($1::text[], $2::float8[]) AS run (name, ago_ms) USING (name)
       ORDER BY name FOR UPDATE OF component
     )
     UPDATE component c SET last_ran_at = greatest(c.last_ran_at, ran.at) FROM ran WHERE c.name = ran.name`,
    [[...agoMs.keys()], [...agoMs.values()]],
  );
}

/** Pauses or resumes a component, and notifies every web. False: no component has this name. */
export function pauseComponent(db: Queryable, name: string, paused: boolean): Promise<boolean> {
  return setPaused(db, name, paused);
}

/** Pauses or resumes every component, and notifies every web. */
export async function pauseAllComponents(db: Queryable, paused: boolean): Promise<void> {
  await setPaused(db, null, paused);
}

function setPaused(db: Queryable, name: string | null, paused: boolean): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `WITH chosen AS (SELECT name FROM component WHERE name = $2 OR $2::text IS NULL ORDER BY name FOR UPDATE)
       UPDATE component c SET paused = $1 FROM chosen WHERE c.name = chosen.name`,
      [paused, name],
    );
    if (rowCount === 0) return false;
    await notify(tx, 'components', name ?? '');
    return true;
  });
}
