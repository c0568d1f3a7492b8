import { createHash } from 'node:crypto';
import pg from 'pg';
import { connectionLost, isUnusableAfter } from './connection-lost.ts';
import { codeOf } from './errors.ts';

/**
 * The first argument of every operation. Given the pool, the operation runs in its own transaction; given a client, it
 * is part of the transaction that the caller has begun there.
 */
export type Queryable = pg.Pool | pg.ClientBase;

const DEADLOCK = '40P01';
const ATTEMPTS = 5;

/**
 * Runs `action` in one transaction: a new one on the pool, or the caller's own. Rolls back a new transaction if
 * `action` throws. A transaction that the server ended because of a deadlock is repeated, so `action` may run more than
 * once: it must do nothing but use its client.
 */
export async function inTransaction<T>(db: Queryable, action: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
  if (!(db instanceof pg.Pool)) return action(db);
  for (let attempt = 1; ; attempt++) {
    try {
      return await transact(db, action);
    } catch (error) {
      if (codeOf(error) !== DEADLOCK || attempt === ATTEMPTS) throw error;
    }
  }
}

async function transact<T>(pool: pg.Pool, action: (tx: pg.ClientBase) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await action(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    // If the connection is gone, so is the transaction.
    if (isUnusableAfter(error)) broken = error as Error;
    else
      await client.query('ROLLBACK').catch((cause: Error) => {
        broken = cause;
      });
    throw broken ? connectionLost(error) : error;
  } finally {
    client.release(broken);
  }
}

/** Returns the row of a statement that always returns one. */
export function oneRow<R extends pg.QueryResultRow>(result: pg.QueryResult<R>): R {
  const [row] = result.rows;
  if (!row) throw new Error('the statement gave no row');
  return row;
}

/**
 * A statement that the server plans once for each connection, not each time. For statements that a user waits for and
 * that cost as much to plan as to run. There must be few different texts.
 */
export function prepared(text: string, values: unknown[]): pg.QueryConfig {
  return { name: createHash('sha256').update(text).digest('hex').slice(0, 32), text, values };
}

/** Long enough for every statement that is not stuck. */
const PATIENCE_MS = 600_000;

/** A statement that may take minutes, such as deleting a pipeline with all its builds. Others have half a minute. */
export function patiently(text: string, values: unknown[]): pg.QueryConfig {
  const query = { text, values, query_timeout: PATIENCE_MS };
  return query; // `pg` reads `query_timeout`; its types lack it
}
