import { ApiError } from '../../api-error.ts';
import { authenticated, teamPipeline } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { API, PIPELINE, WORKER } from '../../http/paths.ts';
import { createRouter, type Router } from '../../http/router.ts';

/**
 * Routes that Concourse has and Seaplane does not. Each checks its requester as Concourse would, then answers 501 and
 * the reason.
 */
export function notImplementedRoutes({ pool }: ApiContext): Router {
  const app = createRouter();

  // By design: workers are targets in the configuration of web. No worker registers itself or sweeps.
  app.post(`${API}/workers`, authenticated(), refuseWorker);
  app.put(`${WORKER}/heartbeat`, authenticated(), refuseWorker);
  app.delete(WORKER, authenticated(), refuseWorker);
  app.get(`${API}/containers/destroying`, authenticated(), refuseWorker);
  app.put(`${API}/containers/report`, authenticated(), refuseWorker);
  app.get(`${API}/volumes/destroying`, authenticated(), refuseWorker);
  app.put(`${API}/volumes/report`, authenticated(), refuseWorker);

  // Not implemented yet.
  app.get(`${PIPELINE}/versions-db`, teamPipeline(pool, 'GetConfig'), () => refuse('a dump of the versions'));
  return app;
}

function refuseWorker(): never {
  throw new ApiError(
    'not-implemented',
    "Seaplane's workers are targets in its configuration. Workers cannot register themselves.",
  );
}

function refuse(what: string): never {
  throw new ApiError('not-implemented', `Seaplane does not do this yet: ${what}.`);
}
