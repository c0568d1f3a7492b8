import type { Pool } from 'pg';

/** This installation of Seaplane, the same for every process on one database. */
export interface Instance {
  readonly id: string;
  readonly createdAt: Date;
}

export async function readInstance(pool: Pool): Promise<Instance> {
  const { rows } = await pool.query<Instance>('SELECT id, created_at AS "createdAt" FROM instance');
  if (!rows[0]) throw new Error('the table instance has lost its row');
  return rows[0];
}
