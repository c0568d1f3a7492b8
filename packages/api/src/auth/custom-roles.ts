import type { Role } from '@seaplane/db';
import { ACTION_ROLES, type Action, type ActionRoles } from './actions.ts';
import { isRole } from './roles.ts';

/** Actions of Concourse for which a role in a team does not count here. A file may name them all the same. */
const WITHOUT_ROLE: ReadonlySet<string> = new Set([
  'CheckResourceWebHook',
  'DeleteWorker',
  'DestroyTeam',
  'DownloadCLI',
  'GetDownstreamResourceCausality',
  'GetInfo',
  'GetInfoCreds',
  'GetLogLevel',
  'GetUpstreamResourceCausality',
  'GetVersionsDB',
  'GetWall',
  'HeartbeatWorker',
  'ListDestroyingContainers',
  'ListDestroyingVolumes',
  'MainJobBadge',
  'RegisterWorker',
  'ReportWorkerContainers',
  'ReportWorkerVolumes',
  'SetLogLevel',
]);

/**
 * The roles that actions need, as an operator changed them: lists of actions by the role that they need from now on.
 * Throws an Error that says what is wrong.
 */
export function customRoles(changes: unknown): ActionRoles {
  if (typeof changes !== 'object' || changes === null || Array.isArray(changes)) {
    throw new Error('it must be a map of lists of actions, by the name of a role');
  }
  const roles: Record<Action, Role> = { ...ACTION_ROLES };
  for (const [role, actions] of Object.entries(changes)) {
    if (!isRole(role)) throw new Error(`unknown role ${role}`);
    if (!Array.isArray(actions)) throw new Error(`the actions of ${role} must be a list`);
    for (const action of actions) {
      if (isAction(action)) roles[action] = role;
      else if (!WITHOUT_ROLE.has(action)) throw new Error(`unknown action ${action}`);
    }
  }
  return roles;
}

function isAction(name: unknown): name is Action {
  return typeof name === 'string' && Object.hasOwn(ACTION_ROLES, name);
}
