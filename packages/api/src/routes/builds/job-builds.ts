import { createJobBuild, findJobBuild, rerunBuild } from '@seaplane/db';
import { Hono } from 'hono';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { job } from '../../auth/finders.ts';
import { notArchived, pipeline, teamPipeline } from '../../auth/guards.ts';
import { may, nameOf } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { answerBuilds } from '../../http/list-builds.ts';
import { JOB } from '../../http/paths.ts';
import { notFound } from '../../http/problem.ts';
import { buildJson } from '../../json/build-json.ts';

export function jobBuildRoutes(context: ApiContext): Hono<ApiEnv> {
  const { pool } = context;
  const app = new Hono<ApiEnv>();

  app.get(`${JOB}/builds`, pipeline(pool, 'ListJobBuilds'), job(pool), (c) => {
    const showComments = c.var.job.public || may(c.var.requester, 'ListJobBuilds', c.var.pipeline.teamId);
    return answerBuilds(c, context, { jobId: c.var.job.id }, { pipeline: c.var.pipeline, showComments });
  });

  app.get(`${JOB}/builds/:build`, pipeline(pool, 'GetJobBuild'), job(pool), async (c) => {
    const found = await findJobBuild(pool, c.var.job.id, c.req.param('build'));
    if (!found) return notFound(c, `There is no build '${c.req.param('build')}' of job '${c.var.job.name}'.`);
    const comment = c.var.job.public || may(c.var.requester, 'GetJobBuild', c.var.pipeline.teamId);
    return c.json(buildJson(found, { comment }));
  });

  app.post(`${JOB}/builds`, teamPipeline(pool, 'CreateJobBuild'), notArchived(), job(pool), async (c) => {
    const { id, name, disableManualTrigger } = c.var.job;
    if (disableManualTrigger) return c.text(`job '${name}' cannot be triggered by hand`, 409);
    const createdBy = nameOf(c.var.requester);
    return c.json(buildJson(await createJobBuild(pool, { jobId: id, ...(createdBy && { createdBy }) })));
  });

  app.post(`${JOB}/builds/:build`, teamPipeline(pool, 'RerunJobBuild'), notArchived(), job(pool), async (c) => {
    const name = c.req.param('build');
    const found = await findJobBuild(pool, c.var.job.id, name);
    if (!found) return notFound(c, `There is no build '${name}' of job '${c.var.job.name}'.`);
    if (c.var.job.disableReruns) return c.text(`builds of job '${c.var.job.name}' cannot be run again`, 409);
    if (!found.inputsReady) return c.text(`build '${name}' never got its inputs, so it cannot be run again`, 500);
    const createdBy = nameOf(c.var.requester);
    return c.json(buildJson(await rerunBuild(pool, { buildId: found.id, ...(createdBy && { createdBy }) })));
  });
  return app;
}
