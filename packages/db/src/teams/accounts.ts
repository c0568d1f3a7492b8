import type { Queryable } from '../queryable.ts';

/** Somebody who has logged in. */
export interface Account {
  readonly id: number;
  readonly sub: string;
  readonly username: string;
  readonly connector: string;
  readonly lastLoginAt: Date;
}

export async function recordLogin(
  db: Queryable,
  { sub, username, connector }: Pick<Account, 'sub' | 'username' | 'connector'>,
): Promise<void> {
  await db.query(
    `INSERT INTO account (sub, username, connector) VALUES ($1, $2, $3)
     ON CONFLICT (sub) DO UPDATE SET
       username = excluded.username, connector = excluded.connector, last_login_at = excluded.last_login_at`,
    [sub, username, connector],
  );
}

export async function listAccountsSince(db: Queryable, since: Date): Promise<Account[]> {
  const { rows } = await db.query<Account>(
    `SELECT id, sub, username, connector, last_login_at AS "lastLoginAt" FROM account
     WHERE last_login_at >= $1 ORDER BY last_login_at, id`,
    [since],
  );
  return rows;
}
