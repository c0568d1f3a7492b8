import type { ClientBase } from 'pg';
import { DbError } from './errors.ts';
import type { Migration } from './migration-files.ts';

/** An arbitrary number: all migrators of a database take this lock. */
const LOCK = 7_317_215_804;

/**
 * Brings the schema of a database up to this program's. Forward only. Any number of processes may do this at once: each
 * migration is one transaction under a lock, and the second process finds it applied. Refuses, without a change, a
 * database that a newer program has migrated or that has other migrations. Returns the names of the migrations that it
 * applied.
 */
export async function migrate(client: ClientBase, migrations: readonly Migration[]): Promise<string[]> {
  const applied: string[] = [];
  for (;;) {
    const name = await inTransaction(client, () => applyNext(client, migrations));
    if (name === undefined) return applied;
    applied.push(name);
  }
}

async function applyNext(client: ClientBase, migrations: readonly Migration[]): Promise<string | undefined> {
  await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]); // the transaction's: safe behind a pooler too
  const version = verifyHistory(await readHistory(client), migrations);
  const next = migrations[version];
  if (!next) return undefined;
  await client.query('INSERT INTO schema_migration (version, name, checksum) VALUES ($1, $2, $3)', [
    next.version,
    next.name,
    next.checksum,
  ]);
  try {
    await client.query(next.sql);
  } catch (cause) {
    const said = cause instanceof Error ? cause.message : String(cause);
    throw new DbError('migration-failed', `Migration ${next.name} failed and was undone: ${said}`, { cause });
  }
  return next.name;
}

interface Applied {
  readonly version: number;
  readonly name: string;
  readonly checksum: string;
}

async function readHistory(client: ClientBase): Promise<Applied[]> {
  const found = await client.query<{ there: boolean }>("SELECT to_regclass('schema_migration') IS NOT NULL AS there");
  if (!found.rows[0]?.there) {
    await client.query(`
      CREATE TABLE schema_migration (
        version integer PRIMARY KEY,
        name text NOT NULL,
        checksum text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
      )`);
  }
  const { rows } = await client.query<Applied>('SELECT version, name, checksum FROM schema_migration ORDER BY version');
  return rows;
}

/** Returns the version that the database has. */
function verifyHistory(history: readonly Applied[], migrations: readonly Migration[]): number {
  const has = history.at(-1)?.version ?? 0;
  if (has > migrations.length) {
    throw new DbError(
      'database-newer',
      `The database has schema version ${has} and this Seaplane knows versions up to ${migrations.length}: a newer Seaplane has used it. Run that version or a later one; to go back, restore a backup from before the upgrade.`,
    );
  }
  for (const [index, applied] of history.entries()) {
    const ours = migrations[index];
    if (ours?.version === applied.version && ours.checksum === applied.checksum) continue;
    throw new DbError(
      'migration-changed',
      `Migration ${applied.name} was applied to this database with other contents than this Seaplane's ${ours?.name ?? 'none'}. The schema is not the one this program was written for; run the version that made it, or restore a backup.`,
    );
  }
  return has;
}

async function inTransaction<T>(client: ClientBase, action: () => Promise<T>): Promise<T> {
  await client.query('BEGIN');
  try {
    const result = await action();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // the connection is gone, and the transaction with it
    throw error;
  }
}
