import type { Claims } from './claims.ts';

/** Least first: each may do all that those before it may. */
export const ROLES = ['viewer', 'pipeline-operator', 'member', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Who holds a role in a team: `connector:user` and `connector:group`. */
export interface RoleHolders {
  readonly users?: readonly string[];
  readonly groups?: readonly string[];
}

export type TeamAuth = Readonly<Partial<Record<Role, RoleHolders>>>;

export interface TeamRoles {
  readonly name: string;
  readonly admin: boolean;
  readonly auth: TeamAuth;
}

type Member = Pick<Claims, 'connector' | 'userId' | 'userName' | 'name' | 'groups'>;

export function atLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The roles a user has in a team, greatest first. A role that names nobody is everybody's. */
export function rolesIn({ auth }: Pick<TeamRoles, 'auth'>, member: Member): Role[] {
  const users = qualified(member, [member.userId, member.userName || member.name]);
  const groups = qualified(member, member.groups);
  return ROLES.toReversed().filter((role) => {
    const holders = auth[role];
    if (!holders) return false;
    const [heldBy, heldByGroups] = [holders.users ?? [], holders.groups ?? []];
    if (heldBy.length === 0 && heldByGroups.length === 0) return true;
    return holds(heldBy, users) || holds(heldByGroups, groups);
  });
}

/** Administrators are the owners of an admin team. */
export function isAdmin(teams: readonly TeamRoles[], member: Member): boolean {
  return teams.some((team) => team.admin && rolesIn(team, member).includes('owner'));
}

function qualified({ connector }: Member, names: readonly string[]): string[] {
  const prefix = connector === 'cloudfoundry' ? 'cf' : connector;
  return names.filter(Boolean).map((name) => `${prefix}:${name}`.toLowerCase());
}

function holds(named: readonly string[], own: readonly string[]): boolean {
  return named.some((name) => own.includes(name.toLowerCase()));
}
