import type pg from 'pg';

/** Whether the last statement of a process that dies took effect. */
export type Death = 'before' | 'after';

/** Why nothing more comes of a pool whose process is dead. */
class Killed extends Error {}

/** Whether it was that. */
export function wasKilled(error: unknown): boolean {
  return error instanceof Killed || (error instanceof Error && wasKilled(error.cause));
}

/**
 * A pool as a process has it that is killed at its n-th statement, BEGIN and COMMIT among them: what it has begun and
 * not committed is undone, and it never gets to say another word.
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
