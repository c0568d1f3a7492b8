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

/** What a token says of its bearer. */
export interface Claims {
  readonly sub: string;
  readonly name: string;
  readonly userId: string;
  readonly userName: string;
  readonly email: string;
  readonly connector: string;
  readonly groups: readonly string[];
}

export function atLeast(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The roles a user has in a team, greatest first. A role that names nobody is everybody's. */
export function rolesIn({ auth }: Pick<TeamRoles, 'auth'>, claims: Claims): Role[] {
  const users = [claims.userId, claims.userName].map((id) => `${claims.connector}:${id}`.toLowerCase());
  const groups = claims.groups.map((group) => `${claims.connector}:${group}`.toLowerCase());
  return ROLES.toReversed().filter((role) => {
    const holders = auth[role];
    if (!holders) return false;
    const [heldBy, heldByGroups] = [holders.users ?? [], holders.groups ?? []];
    if (heldBy.length === 0 && heldByGroups.length === 0) return true;
    return holds(heldBy, users) || holds(heldByGroups, groups);
  });
}

/** Administrators are the owners of an admin team. */
export function isAdmin(teams: readonly TeamRoles[], claims: Claims): boolean {
  return teams.some((team) => team.admin && rolesIn(team, claims).includes('owner'));
}

/** The teams in which a user has any role, with those roles. */
export function teamsOf(teams: readonly TeamRoles[], claims: Claims): Record<string, Role[]> {
  const found = teams.map((team) => [team.name, rolesIn(team, claims)] as const);
  return Object.fromEntries(found.filter(([, roles]) => roles.length > 0));
}

function holds(named: readonly string[], own: readonly string[]): boolean {
  return named.some((name) => own.includes(name.toLowerCase()));
}
