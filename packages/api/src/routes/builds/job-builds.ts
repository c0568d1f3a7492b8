import { createJobBuild, findJobBuild, rerunBuild } from '@seaplane/db';
import { ApiError } from '../../api-error.ts';
import { job } from '../../auth/finders.ts';
import { notArchived, pipeline, teamPipeline } from '../../auth/guards.ts';
import { may, nameOf } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { pageOfBuilds } from '../../http/list-builds.ts';
import { JOB } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { buildJson } from '../../json/build-json.ts';

export function jobBuildRoutes(context: ApiContext): Router {
  const { pool } = context;
  const app = createRouter();

  app.get(`${JOB}/builds`, pipeline(pool, 'ListJobBuilds'), job(pool), (c) => {
    const showComments = c.var.job.public || may(c.var.requester, 'ListJobBuilds', c.var.pipeline.teamId);
    return pageOfBuilds(c, context, { jobId: c.var.job.id }, { pipeline: c.var.pipeline, showComments });
  });

  app.get(`${JOB}/builds/:build`, pipeline(pool, 'GetJobBuild'), job(pool), async (c) => {
    const found = await findJobBuild(pool, c.var.job.id, c.req.param('build'));
    if (!found)
      throw new ApiError('not-found', `There is no build '${c.req.param('build')}' of job '${c.var.job.name}'.`);
    const comment = c.var.job.public || may(c.var.requester, 'GetJobBuild', c.var.pipeline.teamId);
    return buildJson(found, { comment });
  });

  app.post(`${JOB}/builds`, teamPipeline(pool, 'CreateJobBuild'), notArchived(), job(pool), async (c) => {
    const { id, name, disableManualTrigger } = c.var.job;
    if (disableManualTrigger) throw new ApiError('conflict', `job '${name}' cannot be triggered by hand`);
    const createdBy = nameOf(c.var.requester);
    return buildJson(await createJobBuild(pool, { jobId: id, ...(createdBy && { createdBy }) }));
  });

  app.post(`${JOB}/builds/:build`, teamPipeline(pool, 'RerunJobBuild'), notArchived(), job(pool), async (c) => {
    const name = c.req.param('build');
    if (c.var.job.disableReruns)
      throw new ApiError('conflict', `builds of job '${c.var.job.name}' cannot be run again`);
    const found = await findJobBuild(pool, c.var.job.id, name);
    if (!found) throw new ApiError('not-found', `There is no build '${name}' of job '${c.var.job.name}'.`);
    if (!found.inputsReady)
      throw new ApiError('failed', `build '${name}' never got its inputs, so it cannot be run again`);
    const createdBy = nameOf(c.var.requester);
    return buildJson(await rerunBuild(pool, { buildId: found.id, ...(createdBy && { createdBy }) }));
  });
  return app;
}
