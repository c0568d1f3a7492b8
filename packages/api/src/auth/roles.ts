import type { Role, Team } from '@seaplane/db';
import type { Claims } from './claims.ts';

/** Least first: each role may do everything that the roles before it may. */
const ROLES: readonly Role[] = ['viewer', 'pipeline-operator', 'member', 'owner'];

type Member = Pick<Claims, 'connector' | 'userId' | 'userName' | 'name' | 'groups'>;

export function isRole(name: string): name is Role {
  return ROLES.some((role) => role === name);
}

export function atLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The roles that a user has in a team, greatest first. Everybody has a role that names no user and no group. */
export function rolesIn({ auth }: Pick<Team, 'auth'>, member: Member): Role[] {
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
export function isAdmin(teams: readonly Pick<Team, 'admin' | 'auth'>[], member: Member): boolean {
  return teams.some((team) => team.admin && rolesIn(team, member).includes('owner'));
}

function qualified({ connector }: Member, names: readonly string[]): string[] {
  const prefix = connector === 'cloudfoundry' ? 'cf' : connector;
  return names.filter(Boolean).map((name) => `${prefix}:${name}`.toLowerCase());
}

function holds(named: readonly string[], own: readonly string[]): boolean {
  return named.some((name) => own.includes(name.toLowerCase()));
}
