import { findBuild, findBuilds, findTeam, listJobs, listPipelines } from '@seaplane/db';
import type { BuildStatus } from '@seaplane/engine';
import type { Context } from 'hono';
import { ApiError } from '../../api-error.ts';
import { job } from '../../auth/finders.ts';
import { open, pipeline } from '../../auth/guards.ts';
import { may } from '../../auth/requester.ts';
import type { ApiContext } from '../../context.ts';
import { API, JOB, PIPELINE, TEAM } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';
import { badgeSvg, worstOf } from '../../json/badge.ts';
import { ccTray } from '../../json/cc-tray.ts';
import { readJobParts } from '../../json/read-jobs.ts';

/** Badges for READMEs, and XML for build monitors. */
export function badgeRoutes({ pool, externalUrl }: ApiContext): Router {
  const app = createRouter();

  app.get(`${JOB}/badge`, pipeline(pool, 'JobBadge'), job(pool), async (c) => {
    const { finishedBuildId } = c.var.job;
    const finished = finishedBuildId === undefined ? undefined : await findBuild(pool, finishedBuildId);
    return answerBadge(c, finished?.status);
  });

  app.get(`${PIPELINE}/badge`, pipeline(pool, 'PipelineBadge'), async (c) => {
    const jobs = await listJobs(pool, [c.var.pipeline.id]);
    const finished = await findBuilds(
      pool,
      jobs.flatMap(({ finishedBuildId }) => finishedBuildId ?? []),
    );
    return answerBadge(c, worstOf(finished.map(({ status }) => status)));
  });

  app.get(`${API}/pipelines/:pipeline/jobs/:job/badge`, open(), (c) => {
    const [name, jobName] = [c.req.param('pipeline'), c.req.param('job')].map(encodeURIComponent);
    return c.redirect(`${API}/teams/main/pipelines/${name}/jobs/${jobName}/badge${new URL(c.req.url).search}`);
  });

  app.get(`${TEAM}/cc.xml`, open(), async (c) => {
    const owner = await findTeam(pool, c.req.param('team'));
    if (!owner) throw new ApiError('not-found', `There is no team '${c.req.param('team')}'.`);
    const all = may(c.var.requester, 'GetCC', owner.id);
    const pipelines = (await listPipelines(pool, { teamIds: [owner.id] })).filter((each) => all || each.public);
    const jobs = await listJobs(
      pool,
      pipelines.map(({ id }) => id),
    );
    const parts = await readJobParts(pool, jobs, pipelines);
    return c.body(ccTray(parts, externalUrl), 200, { 'Content-Type': 'application/xml' });
  });
  return app;
}

function answerBadge(c: Context, status: BuildStatus | undefined): Response {
  return c.body(badgeSvg(status, c.req.query('title') || undefined), 200, {
    'Content-Type': 'image/svg+xml',
    'Cache-Control': 'no-cache, no-store, must-revalidate',
    Expires: '0',
  });
}
