import { checkIdentifier } from '@seaplane/config';
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
import { ApiError } from '../../api-error.ts';
import { notArchived, open, pipeline, team, teamPipeline } from '../../auth/guards.ts';
import { may, nameOf, teamsFor } from '../../auth/requester.ts';
import { instanceOrderBody, pipelineOrderBody, renameBody } from '../../bodies.ts';
import type { ApiContext } from '../../context.ts';
import { API, PIPELINE, TEAM } from '../../http/paths.ts';
import { readJson } from '../../http/read-json.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { pipelineJson } from '../../json/pipeline-json.ts';

/** Pipelines as a whole. Their configuration is in pipeline-config.ts. */
export function pipelineRoutes({ pool }: ApiContext): Router {
  const app = createRouter();

  app.get(`${API}/pipelines`, open(), async (c) => {
    const teamIds = teamsFor(c.var.requester, 'ListAllPipelines');
    const pipelines = await listPipelines(pool, teamIds ? { teamIds, orPublic: true } : {});
    return pipelines.map(pipelineJson);
  });

  app.get(`${TEAM}/pipelines`, open(), async (c) => {
    const owner = await findTeam(pool, c.req.param('team'));
    if (!owner) throw new ApiError('not-found', `There is no team '${c.req.param('team')}'.`);
    const pipelines = await listPipelines(pool, { teamIds: [owner.id] });
    const all = may(c.var.requester, 'ListPipelines', owner.id);
    return pipelines.filter((each) => all || each.public).map(pipelineJson);
  });

  app.put(`${TEAM}/pipelines/ordering`, team(pool, 'OrderPipelines'), async (c) => {
    const unknown = await orderPipelines(pool, c.var.team.id, await readJson(c, pipelineOrderBody));
    if (unknown !== undefined) throw new ApiError('bad-request', `pipeline '${unknown}' not found\n`);
  });

  app.put(`${PIPELINE}/ordering`, team(pool, 'OrderPipelinesWithinGroup'), async (c) => {
    const name = c.req.param('pipeline');
    const unknown = await orderInstances(pool, c.var.team.id, name, await readJson(c, instanceOrderBody));
    if (unknown === undefined) return;
    throw new ApiError('bad-request', `pipeline '${name}' with instance vars ${JSON.stringify(unknown)} not found\n`);
  });

  app.get(PIPELINE, pipeline(pool, 'GetPipeline'), (c) => pipelineJson(c.var.pipeline));

  app.delete(PIPELINE, teamPipeline(pool, 'DeletePipeline'), async (c) => {
    await destroyPipeline(pool, c.var.pipeline.id);
    c.status(204);
  });

  app.put(`${PIPELINE}/pause`, teamPipeline(pool, 'PausePipeline'), notArchived(), async (c) => {
    await pausePipeline(pool, c.var.pipeline.id, nameOf(c.var.requester) ?? '');
  });

  app.put(`${PIPELINE}/unpause`, teamPipeline(pool, 'UnpausePipeline'), notArchived(), async (c) => {
    await unpausePipeline(pool, c.var.pipeline.id);
  });

  app.put(`${PIPELINE}/archive`, teamPipeline(pool, 'ArchivePipeline'), async (c) => {
    await archivePipeline(pool, c.var.pipeline.id, nameOf(c.var.requester) ?? '');
  });

  app.put(`${PIPELINE}/expose`, teamPipeline(pool, 'ExposePipeline'), async (c) => {
    await exposePipeline(pool, c.var.pipeline.id, true);
  });

  app.put(`${PIPELINE}/hide`, teamPipeline(pool, 'HidePipeline'), async (c) => {
    await exposePipeline(pool, c.var.pipeline.id, false);
  });

  // Renames every instance of the name, so that the instances stay together.
  app.put(`${PIPELINE}/rename`, team(pool, 'RenamePipeline'), async (c) => {
    const oldName = c.req.param('pipeline');
    const { name } = await readJson(c, renameBody);
    const problem = checkIdentifier(name, ['pipeline']);
    if (problem?.kind === 'error') throw new ApiError('bad-request', problem.message);
    try {
      const found = await renamePipeline(pool, c.var.team.id, oldName, name);
      if (!found) throw new ApiError('not-found', `There is no pipeline '${oldName}'.`);
    } catch (error) {
      if (error instanceof DbError && error.code === 'name-taken') throw new ApiError('bad-request', error.message);
      throw error;
    }
    return problem ? { warnings: [problem.warning] } : {};
  });
  return app;
}
