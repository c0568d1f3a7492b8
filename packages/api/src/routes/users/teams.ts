import { checkIdentifier } from '@seaplane/config';
import { DbError, destroyTeam, findTeam, listTeams, renameTeam, saveTeam, type Team } from '@seaplane/db';
import { Hono } from 'hono';
import * as v from 'valibot';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { admin, authenticated, open, team } from '../../auth/guards.ts';
import { may, type User } from '../../auth/requester.ts';
import { ROLES } from '../../auth/roles.ts';
import type { ApiContext } from '../../context.ts';
import { API, TEAM } from '../../http/paths.ts';
import { badRequest, forbidden, notFound } from '../../http/problem.ts';
import { readJson } from '../../http/read-json.ts';

const names = v.nullish(v.array(v.string()), []);
const holders = v.pipe(
  v.object({ users: names, groups: names }),
  v.check(
    ({ users, groups }) => (users?.length ?? 0) + (groups?.length ?? 0) > 0,
    'auth config for the team does not have users and groups configured',
  ),
  v.transform(({ users, groups }) => ({ users: users ?? [], groups: groups ?? [] })),
);
const teamBody = v.object({
  auth: v.pipe(
    v.record(v.picklist(ROLES), holders),
    v.check((auth) => Object.keys(auth).length > 0, 'auth config for the team must not be empty'),
  ),
});
export const renameBody = v.object({ name: v.string() });

export function teamRoutes({ pool }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.get(`${API}/teams`, open(), async (c) => {
    const teams = await listTeams(pool);
    return c.json(teams.filter(({ id }) => may(c.var.requester, 'ListTeams', id)).map(teamJson));
  });

  app.get(TEAM, team(pool, 'GetTeam'), (c) => c.json(teamJson(c.var.team)));

  // Only administrators make teams, so whether there is one comes before whether it may be set.
  app.put(TEAM, authenticated(), async (c) => {
    const requester = c.var.requester as User;
    const name = c.req.param('team');
    const existing = await findTeam(pool, name);
    if (existing ? !may(requester, 'SetTeam', existing.id) : !requester.admin) return forbidden(c);
    const { auth } = await readJson(c, teamBody);
    const problem = existing ? undefined : checkIdentifier(name, ['team']);
    if (problem?.kind === 'error') return badRequest(c, problem.message);
    const saved = await saveTeam(pool, name, auth);
    const warnings = problem ? { warnings: [problem.warning] } : {};
    return c.json({ ...warnings, team: teamJson(saved.team) }, saved.created ? 201 : 200);
  });

  app.put(`${TEAM}/rename`, team(pool, 'RenameTeam'), async (c) => {
    const { name } = await readJson(c, renameBody);
    const problem = checkIdentifier(name, ['team']);
    if (problem?.kind === 'error') return badRequest(c, problem.message);
    try {
      await renameTeam(pool, c.var.team.name, name);
    } catch (error) {
      if (error instanceof DbError && error.code === 'name-taken') return badRequest(c, error.message);
      throw error;
    }
    return c.json(problem ? { warnings: [problem.warning] } : {});
  });

  app.delete(TEAM, admin(), async (c) => {
    const name = c.req.param('team');
    switch (await destroyTeam(pool, name)) {
      case 'done':
        return c.body(null, 204);
      case 'unknown':
        return notFound(c, `There is no team '${name}'.`);
      case 'last-admin-team':
        return forbidden(c, `team '${name}' is the last whose owners are administrators`);
    }
  });
  return app;
}

function teamJson({ id, name, auth }: Team): object {
  return { id, name, auth };
}
