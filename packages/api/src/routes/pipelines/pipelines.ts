import { checkIdentifier, type JsonObject } from '@seaplane/config';
import {
  archivePipeline,
  DbError,
  destroyPipeline,
  exposePipeline,
  findTeam,
  listPipelines,
  orderInstances,
  orderPipelines,
  pausePipeline,
  renamePipeline,
  unpausePipeline,
} from '@seaplane/db';
import { Hono } from 'hono';
import * as v from 'valibot';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { notArchived, open, pipeline, team, teamPipeline } from '../../auth/guards.ts';
import { may, nameOf, teamsFor } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { API, PIPELINE, TEAM } from '../../http/paths.ts';
import { badRequest, notFound } from '../../http/problem.ts';
import { readJson } from '../../http/read-json.ts';
import { pipelineJson } from '../../json/pipeline-json.ts';
import { renameBody } from '../users/teams.ts';

const namesBody = v.array(v.string());
const instancesBody = v.array(v.custom<JsonObject>(isObject, 'instance vars are objects'));

/** Pipelines as a whole; their configuration is in pipeline-config.ts. */
export function pipelineRoutes({ pool }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.get(`${API}/pipelines`, open(), async (c) => {
    const teamIds = teamsFor(c.var.requester, 'ListAllPipelines');
    const pipelines = await listPipelines(pool, teamIds ? { teamIds, orPublic: true } : {});
    return c.json(pipelines.map(pipelineJson));
  });

  app.get(`${TEAM}/pipelines`, open(), async (c) => {
    const owner = await findTeam(pool, c.req.param('team'));
    if (!owner) return notFound(c, `There is no team '${c.req.param('team')}'.`);
    const pipelines = await listPipelines(pool, { teamIds: [owner.id] });
    const all = may(c.var.requester, 'ListPipelines', owner.id);
    return c.json(pipelines.filter((each) => all || each.public).map(pipelineJson));
  });

  app.put(`${TEAM}/pipelines/ordering`, team(pool, 'OrderPipelines'), async (c) => {
    const unknown = await orderPipelines(pool, c.var.team.id, await readJson(c, namesBody));
    return unknown === undefined ? c.body(null, 200) : c.text(`pipeline '${unknown}' not found\n`, 400);
  });

  app.put(`${PIPELINE}/ordering`, team(pool, 'OrderPipelinesWithinGroup'), async (c) => {
    const name = c.req.param('pipeline');
    const unknown = await orderInstances(pool, c.var.team.id, name, await readJson(c, instancesBody));
    if (unknown === undefined) return c.body(null, 200);
    return c.text(`pipeline '${name}' with instance vars ${JSON.stringify(unknown)} not found\n`, 400);
  });

  app.get(PIPELINE, pipeline(pool, 'GetPipeline'), (c) => c.json(pipelineJson(c.var.pipeline)));

  app.delete(PIPELINE, teamPipeline(pool, 'DeletePipeline'), async (c) => {
    await destroyPipeline(pool, c.var.pipeline.id);
    return c.body(null, 204);
  });

  app.put(`${PIPELINE}/pause`, teamPipeline(pool, 'PausePipeline'), notArchived(), async (c) => {
    await pausePipeline(pool, c.var.pipeline.id, nameOf(c.var.requester) ?? '');
    return c.body(null, 200);
  });

  app.put(`${PIPELINE}/unpause`, teamPipeline(pool, 'UnpausePipeline'), notArchived(), async (c) => {
    await unpausePipeline(pool, c.var.pipeline.id);
    return c.body(null, 200);
  });

  app.put(`${PIPELINE}/archive`, teamPipeline(pool, 'ArchivePipeline'), async (c) => {
    await archivePipeline(pool, c.var.pipeline.id, nameOf(c.var.requester) ?? '');
    return c.body(null, 200);
  });

  app.put(`${PIPELINE}/expose`, teamPipeline(pool, 'ExposePipeline'), async (c) => {
    await exposePipeline(pool, c.var.pipeline.id, true);
    return c.body(null, 200);
  });

  app.put(`${PIPELINE}/hide`, teamPipeline(pool, 'HidePipeline'), async (c) => {
    await exposePipeline(pool, c.var.pipeline.id, false);
    return c.body(null, 200);
  });

  // By name alone: the instances of a pipeline stay together.
  app.put(`${PIPELINE}/rename`, team(pool, 'RenamePipeline'), async (c) => {
    const oldName = c.req.param('pipeline');
    const { name } = await readJson(c, renameBody);
    const problem = checkIdentifier(name, ['pipeline']);
    if (problem?.kind === 'error') return badRequest(c, problem.message);
    try {
      const found = await renamePipeline(pool, c.var.team.id, oldName, name);
      if (!found) return notFound(c, `There is no pipeline '${oldName}'.`);
    } catch (error) {
      if (error instanceof DbError && error.code === 'name-taken') return badRequest(c, error.message);
      throw error;
    }
    return c.json(problem ? { warnings: [problem.warning] } : {});
  });
  return app;
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
