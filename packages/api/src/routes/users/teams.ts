import { assertNever, checkIdentifier } from '@seaplane/config';
import { DbError, destroyTeam, findTeam, listTeams, renameTeam, saveTeam, type Team } from '@seaplane/db';
import type { TeamAnswer } from '../../answers/team.ts';
import { ApiError } from '../../api-error.ts';
import { admin, authenticated, open, team } from '../../auth/guards.ts';
import { forbidden } from '../../auth/refusals.ts';
import { may } from '../../auth/requester.ts';
import { renameBody, teamBody } from '../../bodies.ts';
import type { ApiContext } from '../../context.ts';
import { API, TEAM } from '../../http/paths.ts';
import { readJson } from '../../http/read-json.ts';
import { createRouter, type Router } from '../../http/router.ts';

export function teamRoutes({ pool }: ApiContext): Router {
  const app = createRouter();

  app.get(`${API}/teams`, open(), async (c) => {
    const teams = await listTeams(pool);
    return teams.filter(({ id }) => may(c.var.requester, 'ListTeams', id)).map(teamJson);
  });

  app.get(TEAM, team(pool, 'GetTeam'), (c) => teamJson(c.var.team));

  // Only administrators create teams, so the handler looks for the team before it checks the role.
  app.put(TEAM, authenticated(), async (c) => {
    const { requester } = c.var;
    const name = c.req.param('team');
    const existing = await findTeam(pool, name);
    if (existing ? !may(requester, 'SetTeam', existing.id) : !requester.admin) throw forbidden();
    const { auth } = await readJson(c, teamBody);
    const problem = existing ? undefined : checkIdentifier(name, ['team']);
    if (problem?.kind === 'error') throw new ApiError('bad-request', problem.message);
    const saved = await saveTeam(pool, name, auth);
    const warnings = problem ? { warnings: [problem.warning] } : {};
    c.status(saved.created ? 201 : 200);
    return { ...warnings, team: teamJson(saved.team) };
  });

  app.put(`${TEAM}/rename`, team(pool, 'RenameTeam'), async (c) => {
    const { name } = await readJson(c, renameBody);
    const problem = checkIdentifier(name, ['team']);
    if (problem?.kind === 'error') throw new ApiError('bad-request', problem.message);
    try {
      await renameTeam(pool, c.var.team.name, name);
    } catch (error) {
      if (error instanceof DbError && error.code === 'name-taken') throw new ApiError('bad-request', error.message);
      throw error;
    }
    return problem ? { warnings: [problem.warning] } : {};
  });

  app.delete(TEAM, admin(), async (c) => {
    const name = c.req.param('team');
    const result = await destroyTeam(pool, name);
    switch (result) {
      case 'done':
        c.status(204);
        return;
      case 'unknown':
        throw new ApiError('not-found', `There is no team '${name}'.`);
      case 'last-admin-team':
        throw forbidden(`team '${name}' is the last admin team and cannot be destroyed`);
      default:
        return assertNever(result);
    }
  });
  return app;
}

function teamJson({ id, name, auth }: Team): TeamAnswer {
  return { id, name, auth };
}
