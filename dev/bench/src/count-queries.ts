import type { Queryable } from '@seaplane/db';

/** The same database; `count` tells how many statements went through it. */
export function countQueries(pool: Queryable): { readonly db: Queryable; readonly count: () => number } {
  let queries = 0;
  const db = new Proxy(pool, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (key === 'query') queries++;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { db, count: () => queries };
}
