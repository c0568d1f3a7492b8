import type pg from 'pg';

/** Whether the last statement of a process that dies took effect. */
export type Death = 'before' | 'after';

/** The error of every statement after the death. */
class Killed extends Error {}

/** Whether an error is, or was caused by, the death of a mortal pool. */
export function wasKilled(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && wasKilled(error.cause));
}

/**
 * The pool of a process that is killed at its n-th statement, counting BEGIN and COMMIT. Its open transaction is
 * undone, and every later statement fails.
 */
export function mortalPool(pool: pg.Pool, statements: number, death: Death): pg.Pool {
  let left = statements;
  const mortal = <T extends pg.Pool | pg.PoolClient>(queryable: T, get: (key: PropertyKey) => unknown): T =>
    new Proxy(queryable, {
      get(target, key) {
        if (key !== 'query') return get(key);
        return async (...args: [string]) => {
          if (left === 0 && death === 'after') await target.query(...args);
          if (left-- <= 0) throw new Killed('killed');
          return target.query(...args);
        };
      },
    });
  const own = <T extends object>(target: T, key: PropertyKey) => {
    const value: unknown = Reflect.get(target, key);
    return typeof value === 'function' ? value.bind(target) : value;
  };
  return mortal(pool, (key) => {
    if (key !== 'connect') return own(pool, key);
    return async () => {
      const client = await pool.connect();
      return mortal(client, (name) => own(client, name));
    };
  });
}
