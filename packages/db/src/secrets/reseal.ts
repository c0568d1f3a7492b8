import type pg from 'pg';
import { inTransaction } from '../queryable.ts';
import type { SecretColumn, Vault } from './vault.ts';

/** The columns that may hold secrets, with the keys of their tables. */
const SECRET_COLUMNS: Readonly<Record<SecretColumn, readonly string[]>> = {
  'pipeline.config': ['id'],
  'resource.config': ['id'],
  'resource_type.config': ['id'],
  'prototype.config': ['id'],
  'build.private_plan': ['id'],
  'build_journal.value': ['build_id', 'plan_id', 'what'],
  'identity_key.private_jwk': ['id'],
};

const BATCH = 100;

/**
 * Writes everything again that was not written with the vault's present key: after the key was set, changed or taken away.
 * Throws `key-missing`, before it changes anything, if the vault cannot open something. Webs that start at the same time
 * share the work. Returns how many values it has written.
 */
export async function reseal(pool: pg.Pool, vault: Vault): Promise<number> {
  const columns = Object.keys(SECRET_COLUMNS) as SecretColumn[];
  for (const column of columns) await requireKeys(pool, vault, column);
  let written = 0;
  for (const column of columns) {
    for (;;) {
      const count = await resealSome(pool, vault, column);
      if (count === 0) break;
      written += count;
    }
  }
  return written;
}

/** Few of all builds have a plan, and an index finds those. */
const WITH_PLAN = "status = 'started'";

/** Opens one value of each key that values of the column are sealed with. */
async function requireKeys(pool: pg.Pool, vault: Vault, column: SecretColumn): Promise<void> {
  const { table, name, some } = partsOf(column);
  const { rows } = await pool.query<{ value: string }>(
    `SELECT DISTINCT ON (split_part(${name}::text, ':', 2)) ${name} AS value FROM ${table}
     WHERE ${some} AND left(${name}::text, 8) = '"sealed:'`,
  );
  for (const { value } of rows) vault.open(column, value);
}

function resealSome(pool: pg.Pool, vault: Vault, column: SecretColumn): Promise<number> {
  const { table, name, key, some } = partsOf(column);
  const { mark } = vault;
  const isOther =
    mark === undefined ? `left(${name}::text, 8) = '"sealed:'` : `left(${name}::text, ${mark.length}) <> $1`;
  return inTransaction(pool, async (tx) => {
    const { rows } = await tx.query<{ value: object | string; key: unknown[] }>(
      `SELECT ${name} AS value, json_build_array(${key.join(', ')}) AS key FROM ${table}
       WHERE ${some} AND ${name} IS NOT NULL AND ${isOther} ORDER BY ${key.join(', ')} LIMIT ${BATCH} FOR UPDATE`,
      mark === undefined ? [] : [mark],
    );
    const where = key.map((part, index) => `${part} = $${index + 2}`).join(' AND ');
    for (const { value, key: id } of rows) {
      const sealed = vault.seal(column, vault.open(column, value));
      await tx.query(`UPDATE ${table} SET ${name} = $1::json WHERE ${where}`, [sealed, ...id]);
    }
    return rows.length;
  });
}

function partsOf(column: SecretColumn) {
  const [table = '', name = ''] = column.split('.');
  return { table, name, key: SECRET_COLUMNS[column], some: table === 'build' ? WITH_PLAN : 'true' };
}
