import { Hono } from 'hono';
import { ApiError } from './api-error.ts';
import { type ApiEnv, authenticate } from './auth/authenticate.ts';
import { Logins } from './auth/logins.ts';
import type { ApiContext } from './context.ts';
import { answerFailure } from './http/answer-failure.ts';
import { API } from './http/paths.ts';
import { buildEventRoutes } from './routes/builds/build-events.ts';
import { buildRoutes } from './routes/builds/builds.ts';
import { jobBuildRoutes } from './routes/builds/job-builds.ts';
import { cliRoutes } from './routes/operations/cli.ts';
import { infoRoutes } from './routes/operations/info.ts';
import { liveRoutes } from './routes/operations/live.ts';
import { notImplementedRoutes } from './routes/operations/not-implemented.ts';
import { operationRoutes } from './routes/operations/operations.ts';
import { badgeRoutes } from './routes/pipelines/badges.ts';
import { jobRoutes } from './routes/pipelines/jobs.ts';
import { pipelineConfigRoutes } from './routes/pipelines/pipeline-config.ts';
import { pipelineRoutes } from './routes/pipelines/pipelines.ts';
import { checkRoutes } from './routes/resources/checks.ts';
import { resourceRoutes } from './routes/resources/resources.ts';
import { versionRoutes } from './routes/resources/versions.ts';
import { identityRoutes } from './routes/users/identity.ts';
import { loginRoutes } from './routes/users/login.ts';
import { sessionRoutes } from './routes/users/session.ts';
import { signInRoutes } from './routes/users/sign-in.ts';
import { teamRoutes } from './routes/users/teams.ts';
import { artifactRoutes } from './routes/workers/artifacts.ts';
import { containerRoutes } from './routes/workers/containers.ts';
import { workerRoutes } from './routes/workers/workers.ts';
import { CONCOURSE_VERSION } from './version.ts';

const ROUTES = [
  infoRoutes,
  sessionRoutes,
  liveRoutes,
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
  notImplementedRoutes,
] as const;

export type Api = Hono<ApiEnv>;

/** Concourse's HTTP API, as `fly` and the web interface use it. Answers below `/api/v1`, `/sky` and `/.well-known`. */
export function createApi(context: ApiContext): Api {
  const app = new Hono<ApiEnv>();
  app.onError((error, c) => answerFailure(c, error, (cause) => context.onError(cause, c.req.path)));
  const logins = new Logins(context);
  app.route('/', loginRoutes(logins));
  app.route('/', signInRoutes(context, logins));
  app.route('/', identityRoutes(context));
  app.use(`${API}/*`, async (c, next) => {
    await next();
    c.header('X-Concourse-Version', context.concourseVersion ?? CONCOURSE_VERSION);
    // Nobody reads the body of the GET, and an event stream would have no end.
    if (c.req.method === 'HEAD') await c.res.body?.cancel();
  });
  app.use(`${API}/*`, authenticate(context));
  for (const routes of ROUTES) app.route('/', routes(context).hono);
  app.all(`${API}/*`, (c) => {
    throw new ApiError('not-found', `There is no ${c.req.method} ${c.req.path}.`);
  });
  return app;
}
