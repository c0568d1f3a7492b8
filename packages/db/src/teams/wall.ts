import { fromRow, type Row } from '../from-row.ts';
import { announceChange } from '../notifications/changes.ts';
import { inTransaction, type Queryable } from '../queryable.ts';

/** A message to everybody. */
export interface Wall {
  readonly message: string;
  /** How long the message will still be shown. */
  readonly remainingMs?: number;
}

export async function readWall(db: Queryable): Promise<Wall | undefined> {
  const { rows } = await db.query<Row<Wall>>(
    `SELECT message, (extract(epoch FROM expires_at - clock_timestamp()) * 1000)::bigint AS "remainingMs"
     FROM wall WHERE expires_at IS NULL OR expires_at > clock_timestamp()`,
  );
  return rows[0] && fromRow<Wall>(rows[0]);
}

/** Replaces the message. Without a time it is shown until it is cleared. */
export function setWall(db: Queryable, message: string, forMs?: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.query(
      `INSERT INTO wall (message, expires_at) VALUES ($1, clock_timestamp() + make_interval(secs => $2))
     ON CONFLICT (singleton) DO UPDATE SET message = excluded.message, expires_at = excluded.expires_at`,
      [message, forMs === undefined ? null : forMs / 1000],
    );
    await announceChange(tx, 'wall');
  });
}

export function clearWall(db: Queryable): Promise<void> {
  return inTransaction(db, async (tx) => {
    await tx.query('DELETE FROM wall');
    await announceChange(tx, 'wall');
  });
}
