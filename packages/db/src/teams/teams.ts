import { codeOf, DbError } from '../errors.ts';
import { announceChange } from '../notifications/changes.ts';
import { notify } from '../notifications/channels.ts';
import { inTransaction, oneRow, patiently, prepared, type Queryable } from '../queryable.ts';

export type Role = 'owner' | 'member' | 'pipeline-operator' | 'viewer';

/** Users and groups by role, as `connector:name`. Everybody has a role that has neither users nor groups. */
export type TeamAuth = Partial<
  Readonly<Record<Role, { readonly users?: readonly string[]; readonly groups?: readonly string[] }>>
>;

export interface Team {
  readonly id: number;
  readonly name: string;
  /** The owners of an admin team administer the whole installation. */
  readonly admin: boolean;
  readonly auth: TeamAuth;
}

const COLUMNS = 'id, name, admin, auth';

export async function findTeam(db: Queryable, name: string): Promise<Team | undefined> {
  const { rows } = await db.query<Team>(prepared(`SELECT ${COLUMNS} FROM team WHERE lower(name) = lower($1)`, [name]));
  return rows[0];
}

export async function listTeams(db: Queryable): Promise<Team[]> {
  const { rows } = await db.query<Team>(prepared(`SELECT ${COLUMNS} FROM team ORDER BY id`, []));
  return rows;
}

/** Creates a team, or sets the roles of its members. */
export async function saveTeam(
  db: Queryable,
  name: string,
  auth: TeamAuth,
): Promise<{ readonly team: Team; readonly created: boolean }> {
  const result = await db.query<Team & { created: boolean }>(
    `INSERT INTO team (name, auth) VALUES ($1, $2)
     ON CONFLICT (lower(name)) DO UPDATE SET auth = excluded.auth
     RETURNING ${COLUMNS}, xmax = 0 AS created`,
    [name, JSON.stringify(auth)],
  );
  const { created, ...team } = oneRow(result);
  return { team, created };
}

/** Creates the team `main` if need be, and sets its members. Its owners are the administrators. */
export async function ensureMainTeam(db: Queryable, auth: TeamAuth): Promise<Team> {
  const result = await db.query<Team>(
    `INSERT INTO team (name, admin, auth) VALUES ('main', true, $1)
     ON CONFLICT (lower(name)) DO UPDATE SET admin = true, auth = excluded.auth
     RETURNING ${COLUMNS}`,
    [JSON.stringify(auth)],
  );
  return oneRow(result);
}

/** Returns false if there is no such team. */
export async function renameTeam(db: Queryable, name: string, newName: string): Promise<boolean> {
  try {
    const { rowCount } = await db.query('UPDATE team SET name = $2 WHERE lower(name) = lower($1)', [name, newName]);
    return rowCount === 1;
  } catch (error) {
    if (codeOf(error) !== '23505') throw error;
    throw new DbError('name-taken', `team '${name}' cannot be renamed to '${newName}': another team has that name`);
  }
}

/** Deletes a team with all its pipelines. The last admin team cannot be deleted. */
export function destroyTeam(db: Queryable, name: string): Promise<'done' | 'unknown' | 'last-admin-team'> {
  return inTransaction(db, async (tx) => {
    const admins = await tx.query<{ name: string }>('SELECT lower(name) AS name FROM team WHERE admin FOR UPDATE');
    if (admins.rows.length === 1 && admins.rows[0]?.name === name.toLowerCase()) return 'last-admin-team';
    const { rowCount } = await tx.query(patiently('DELETE FROM team WHERE lower(name) = lower($1)', [name]));
    if (rowCount === 0) return 'unknown';
    await notify(tx, 'garbage', '');
    await announceChange(tx, 'pipelines');
    return 'done';
  });
}
