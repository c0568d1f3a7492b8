import { fromRow, type Row } from '../from-row.ts';
import { oneRow, type Queryable } from '../queryable.ts';

/** A loop that every web has, and one at a time runs. */
export interface Component {
  readonly name: string;
  readonly intervalMs: number;
  readonly paused: boolean;
  readonly lastRanAt?: Date;
}

const COLUMNS = 'name, interval_ms AS "intervalMs", paused, last_ran_at AS "lastRanAt"';

/** Makes it known, with its interval; what is known of its runs stays. */
export async function registerComponent(db: Queryable, name: string, intervalMs: number): Promise<Component> {
  const result = await db.query<Row<Component>>(
    `INSERT INTO component (name, interval_ms) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET interval_ms = excluded.interval_ms RETURNING ${COLUMNS}`,
    [name, intervalMs],
  );
  return fromRow<Component>(oneRow(result));
}

export async function findComponent(db: Queryable, name: string): Promise<Component | undefined> {
  const { rows } = await db.query<Row<Component>>(`SELECT ${COLUMNS} FROM component WHERE name = $1`, [name]);
  return rows[0] && fromRow<Component>(rows[0]);
}

export async function listComponents(db: Queryable): Promise<Component[]> {
  const { rows } = await db.query<Row<Component>>(`SELECT ${COLUMNS} FROM component ORDER BY name`);
  return rows.map((row) => fromRow<Component>(row));
}

export async function recordComponentRun(db: Queryable, name: string): Promise<void> {
  await db.query('UPDATE component SET last_ran_at = clock_timestamp() WHERE name = $1', [name]);
}

/** Pauses or resumes one, or all of them. False: there is none of that name. */
export async function pauseComponent(db: Queryable, name: string | 'all', paused: boolean): Promise<boolean> {
  const { rowCount } =
    name === 'all'
      ? await db.query('UPDATE component SET paused = $1', [paused])
      : await db.query('UPDATE component SET paused = $1 WHERE name = $2', [paused, name]);
  return rowCount !== 0;
}
