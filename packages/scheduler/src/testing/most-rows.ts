import { inTransaction, type Queryable } from '@seaplane/db';

interface PlanNode {
  readonly 'Actual Rows'?: number;
  readonly 'Actual Loops'?: number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

function mostRows(node: PlanNode): number {
  const each = (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0);
  return Math.max(each * (node['Actual Loops'] ?? 1), ...(node.Plans ?? []).map(mostRows));
}

/** The most rows that a part of any statement of `act` went through. */
export async function mostRowsOf(pool: Queryable, act: (db: Queryable) => Promise<unknown>): Promise<number> {
  let most = 0;
  await inTransaction(pool, async (client) => {
    const query = async (statement: string | { text: string; values?: unknown[] }, given?: unknown[]) => {
      const { text, values = given } = typeof statement === 'string' ? { text: statement } : statement;
      await client.query('SAVEPOINT explained');
      const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, values);
      await client.query('ROLLBACK TO SAVEPOINT explained');
      most = Math.max(most, mostRows(rows[0]['QUERY PLAN'][0].Plan));
      return client.query(text, values);
    };
    await act(new Proxy(client, { get: (target, key) => (key === 'query' ? query : Reflect.get(target, key)) }));
  });
  return most;
}
