import type { Role, Team } from '@seaplane/db';
import type { Action, ActionRoles } from './actions.ts';
import { type Claims, displayName } from './claims.ts';
import { atLeast, isAdmin, rolesIn } from './roles.ts';

/** The sender of a request. */
export type Requester =
  | { readonly kind: 'anonymous' }
  /** Sent a token that is not good. */
  | { readonly kind: 'rejected' }
  | User;

export interface User {
  readonly kind: 'user';
  readonly claims: Claims;
  /** Whether the user owns an admin team, and so may do everything. */
  readonly admin: boolean;
  /** All teams, each with the user's roles in it. */
  readonly teams: readonly Membership[];
  readonly actionRoles: ActionRoles;
}

export interface Membership {
  readonly id: number;
  readonly name: string;
  readonly roles: readonly Role[];
}

export function userOf(claims: Claims, teams: readonly Team[], actionRoles: ActionRoles): User {
  return {
    kind: 'user',
    claims,
    admin: isAdmin(teams, claims),
    teams: teams.map((team) => ({ id: team.id, name: team.name, roles: rolesIn(team, claims) })),
    actionRoles,
  };
}

/** Whether the requester may do this in a team. */
export function may(requester: Requester, action: Action, teamId: number): boolean {
  if (requester.kind !== 'user') return false;
  if (requester.admin) return true;
  const roles = requester.teams.find(({ id }) => id === teamId)?.roles ?? [];
  return roles.some((role) => atLeast(role, requester.actionRoles[action]));
}

/** The teams in which the requester may do this. Undefined for an administrator: all teams. */
export function teamsFor(requester: Requester, action: Action): number[] | undefined {
  if (requester.kind !== 'user') return [];
  if (requester.admin) return undefined;
  return requester.teams.filter(({ id }) => may(requester, action, id)).map(({ id }) => id);
}

/** The name under which others see the requester. */
export function nameOf(requester: Requester): string | undefined {
  return requester.kind === 'user' ? displayName(requester.claims) : undefined;
}
