import type { UserAnswer } from '../answers/info.ts';
import { displayName } from '../auth/claims.ts';
import type { User } from '../auth/requester.ts';

export function userJson({ claims, admin: isAdmin, teams }: User): UserAnswer {
  return {
    sub: claims.sub,
    name: claims.name,
    user_id: claims.userId,
    user_name: claims.userName,
    email: claims.email,
    is_admin: isAdmin,
    is_system: false,
    teams: Object.fromEntries(teams.filter(({ roles }) => roles.length > 0).map(({ name, roles }) => [name, roles])),
    connector: claims.connector,
    display_user_id: displayName(claims),
  };
}
