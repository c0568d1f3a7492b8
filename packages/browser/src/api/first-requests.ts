import type { Route } from '../routes/routes.ts';
import { pathOf } from './paths.ts';

const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';

/** The user and the user's roles, which every page asks for. */
export const SESSION = 'GET /api/v1/seaplane/session';

/**
 * The paths that a page asks for as soon as its script runs. They need nothing but the address of the page, so the server
 * names them to the browser together with the page, and the browser asks while it still loads the script. Only the pages
 * that people wait for most have more than the session.
 */
export function firstRequests(route: Route | undefined): readonly string[] {
  return [pathOf(SESSION, { at: {} }), ...requestsOf(route)];
}

function requestsOf(route: Route | undefined): readonly string[] {
  switch (route?.page) {
    case 'dashboard':
      return (['pipelines', 'jobs', 'resources'] as const).map((list) => pathOf(`GET /api/v1/${list}`, { at: {} }));
    case 'pipeline': {
      const call = { at: { team: route.team, pipeline: route.pipeline }, query: route.vars };
      return (['', '/jobs', '/resources'] as const).map((part) => pathOf(`GET ${PIPELINE}${part}`, call));
    }
    case 'build': {
      const { team, pipeline, job, build, vars: query } = route;
      const call = { at: { team, pipeline, job }, query };
      const ofJob = [pathOf(`GET ${PIPELINE}/jobs/:job/builds`, call), pathOf(`GET ${PIPELINE}/jobs/:job`, call)];
      // Which build is the latest is known only by the list.
      if (build === 'latest') return ofJob;
      return [pathOf(`GET ${PIPELINE}/jobs/:job/builds/:build`, { at: { ...call.at, build }, query }), ...ofJob];
    }
    case 'one-off':
      return [pathOf('GET /api/v1/builds/:build', { at: { build: route.id } })];
    default:
      return [];
  }
}
