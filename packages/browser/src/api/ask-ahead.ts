import type { Route } from '../routes/routes.ts';
import type { Client } from './client.ts';

const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';

/** Sends the first requests of the pages that people wait for most, so that they need not wait for the session. */
export function askAhead(client: Client, route: Route | undefined): void {
  if (route?.page === 'dashboard') {
    for (const list of ['pipelines', 'jobs', 'resources'] as const) client.ask(`GET /api/v1/${list}`, { at: {} });
  } else if (route?.page === 'pipeline') {
    const call = { at: { team: route.team, pipeline: route.pipeline }, query: route.vars };
    client.ask(`GET ${PIPELINE}`, call);
    client.ask(`GET ${PIPELINE}/jobs`, call);
    client.ask(`GET ${PIPELINE}/resources`, call);
  } else if (route?.page === 'build') {
    const { team, pipeline, job, build, vars: query } = route;
    // Which build is the latest is known only by the list.
    if (build !== 'latest')
      client.ask(`GET ${PIPELINE}/jobs/:job/builds/:build`, { at: { team, pipeline, job, build }, query });
    client.ask(`GET ${PIPELINE}/jobs/:job/builds`, { at: { team, pipeline, job }, query });
  }
}
