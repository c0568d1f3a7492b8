import pg from 'pg';
import { COLUMN_TYPES } from './column-types.ts';
import { explainLostConnection, isPoolBusy } from './connection-lost.ts';
import { DbError } from './errors.ts';
import { useVault, Vault } from './secrets/vault.ts';

/** An operation that finds all connections in use for `connectionTimeoutMillis` waits on, or fails with `pool-busy`. */
export type WhenBusy = 'wait' | 'fail';

/**
 * A pool whose connections may break at any time without ending the process. Statements that fail because of that fail
 * with `connection-lost`, and their connection is dropped.
 */
export function makePool(config: pg.PoolConfig, whenBusy: WhenBusy = 'wait', vault = new Vault()): pg.Pool {
  const pool = makePlainPool(config);
  useVault(pool, vault);
  const explained =
    <R>(action: (...args: unknown[]) => Promise<R>) =>
    async (...args: unknown[]): Promise<R> => {
      for (;;) {
        try {
          return await action(...args);
        } catch (error) {
          if (!isPoolBusy(error)) throw explainLostConnection(error);
          if (whenBusy === 'fail') throw poolBusy(error);
        }
      }
    };
  const connect = pool.connect.bind(pool) as (...args: unknown[]) => Promise<pg.PoolClient>;
  const connectExplained = explained(connect);
  const query = explained(pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>);
  return Object.assign(pool, {
    query: query as typeof pool.query,
    // `pg` itself calls this with a callback, for `query`.
    connect: ((...args: unknown[]) => (args.length > 0 ? connect(...args) : connectExplained())) as typeof pool.connect,
  });
}

/** A pool whose operations fail with the errors of `pg`. */
export function makePlainPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({ types: COLUMN_TYPES, ...config });
  pool.on('error', () => {}); // an idle connection broke; the pool has dropped it
  pool.on('connect', (client) => client.on('error', () => {})); // so did one in use; its query rejects
  return pool;
}

function poolBusy(cause: unknown): DbError {
  return new DbError('pool-busy', 'All connections to the database are in use. Try again soon.', { cause });
}
