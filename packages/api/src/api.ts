import { Hono } from 'hono';
import { type ApiEnv, authenticate } from './auth/authenticate.ts';
import type { ApiContext } from './context.ts';
import { answerFailure } from './http/failure.ts';
import { API } from './http/paths.ts';
import { notFound } from './http/problem.ts';
import { artifactRoutes } from './routes/artifacts.ts';
import { badgeRoutes } from './routes/badges.ts';
import { buildEventRoutes } from './routes/build-events.ts';
import { buildRoutes } from './routes/builds.ts';
import { checkRoutes } from './routes/checks.ts';
import { cliRoutes } from './routes/cli.ts';
import { containerRoutes } from './routes/containers.ts';
import { infoRoutes } from './routes/info.ts';
import { jobBuildRoutes } from './routes/job-builds.ts';
import { jobRoutes } from './routes/jobs.ts';
import { loginRoutes } from './routes/login.ts';
import { notYetRoutes } from './routes/not-yet.ts';
import { operationRoutes } from './routes/operations.ts';
import { pipelineConfigRoutes } from './routes/pipeline-config.ts';
import { pipelineRoutes } from './routes/pipelines.ts';
import { resourceRoutes } from './routes/resources.ts';
import { teamRoutes } from './routes/teams.ts';
import { versionRoutes } from './routes/versions.ts';
import { workerRoutes } from './routes/workers.ts';
import { CONCOURSE_VERSION } from './version.ts';

const ROUTES = [
  infoRoutes,
  cliRoutes,
  teamRoutes,
  pipelineRoutes,
  pipelineConfigRoutes,
  jobRoutes,
  jobBuildRoutes,
  buildRoutes,
  buildEventRoutes,
  resourceRoutes,
  versionRoutes,
  checkRoutes,
  containerRoutes,
  workerRoutes,
  artifactRoutes,
  operationRoutes,
  badgeRoutes,
  notYetRoutes,
] as const;

/** Concourse's HTTP API, as `fly` and the web interface use it. Answers below `/api/v1` and `/sky`. */
export function createApi(context: ApiContext): Hono {
  const app = new Hono<ApiEnv>();
  app.onError((error, c) => answerFailure(c, error, (cause) => context.onError(cause, c.req.path)));
  app.route('/', loginRoutes(context));
  app.use(`${API}/*`, async (c, next) => {
    await next();
    c.header('X-Concourse-Version', CONCOURSE_VERSION);
    // What would have been the body of a GET is read by nobody, and may have no end.
    if (c.req.method === 'HEAD') await c.res.body?.cancel();
  });
  app.use(`${API}/*`, authenticate(context));
  for (const routes of ROUTES) app.route('/', routes(context));
  app.all(`${API}/*`, (c) => notFound(c, `There is no ${c.req.method} ${c.req.path}.`));
  return app as unknown as Hono;
}
