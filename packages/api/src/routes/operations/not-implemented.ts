import { Hono } from 'hono';
import type { ApiEnv } from '../../auth/authenticate.ts';
import { admin, authenticated, teamPipeline } from '../../auth/guards.ts';
import type { ApiContext } from '../../context.ts';
import { API, PIPELINE, RESOURCE, WORKER } from '../../http/paths.ts';

/** Workers of ours are targets in the configuration of web: nothing registers itself, or is told what to destroy. */
const OF_WORKERS = [
  ['POST', `${API}/workers`],
  ['PUT', `${WORKER}/heartbeat`],
  ['DELETE', WORKER],
  ['GET', `${API}/containers/destroying`],
  ['PUT', `${API}/containers/report`],
  ['GET', `${API}/volumes/destroying`],
  ['PUT', `${API}/volumes/report`],
] as const;

const OF_ADMINISTRATORS = [
  ['GET', `${API}/info/creds`],
  ['GET', `${API}/log-level`],
  ['PUT', `${API}/log-level`],
] as const;

/** Routes of Concourse's that are not here. They say so, to whom they would have answered. */
export function notImplementedRoutes({ pool }: ApiContext): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  const say = (what: string) => `Seaplane does not do this yet: ${what}.`;
  for (const [method, path] of OF_WORKERS) {
    app.on(method, path, authenticated(), (c) =>
      c.text('Workers of Seaplane are targets in its configuration; none registers itself.', 501),
    );
  }
  for (const [method, path] of OF_ADMINISTRATORS) {
    app.on(method, path, admin(), (c) => c.text(say(`${method} ${path}`), 501));
  }
  app.delete(`${RESOURCE}/cache`, teamPipeline(pool, 'ClearResourceCache'), (c) =>
    c.text(say('clear-resource-cache'), 501),
  );
  app.get(`${PIPELINE}/versions-db`, teamPipeline(pool, 'GetConfig'), (c) =>
    c.text(say('a dump of the versions'), 501),
  );
  return app;
}
