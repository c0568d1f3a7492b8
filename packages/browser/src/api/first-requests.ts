import type { BuildAnswer } from '@seaplane/api/answers';
import type { Route } from '../routes/routes.ts';
import { pathOf } from './paths.ts';

const PIPELINE = '/api/v1/teams/:team/pipelines/:pipeline';

/** The user and the user's roles, which every page asks for. */
export const SESSION = 'GET /api/v1/seaplane/session';

/**
 * The paths that a page asks for as soon as its script runs. They need nothing but the address of the page, so the server
 * names them to the browser together with the page, and the browser asks while it still loads the script. Only the pages
 * that people wait for most have more than the session. The address of a build of a job does not name its id, so the
 * server looks for it: `startedBuild` is the id of a build that may have a plan.
 */
export function firstRequests(route: Route | undefined, startedBuild?: string): readonly string[] {
  const ofBuild = startedBuild === undefined ? [] : requestsOfBuild(startedBuild);
  const build = requestForBuild(route) ?? [];
  return [pathOf(SESSION, { at: {} }), ofBuild, build, requestsOf(route)].flat();
}

/** The request for the build that a page is about. Undefined if the page is not about one, or its address does not say which. */
export function requestForBuild(route: Route | undefined): string | undefined {
  if (route?.page === 'one-off') return pathOf('GET /api/v1/builds/:build', { at: { build: route.id } });
  // Only the list of builds says which one is the latest.
  if (route?.page !== 'build' || route.build === 'latest') return undefined;
  const { team, pipeline, job, build, vars: query } = route;
  return pathOf(`GET ${PIPELINE}/jobs/:job/builds/:build`, { at: { team, pipeline, job, build }, query });
}

/** A build of a job that ended before it started never had a plan. To ask for it would be an error in the console. */
export function mayHavePlan({ job_name: job, start_time: start, status }: BuildAnswer): boolean {
  return status !== 'pending' && (job === undefined || start !== undefined);
}

function requestsOfBuild(build: string): readonly string[] {
  const at = { build };
  return [
    pathOf('GET /api/v1/builds/:build/plan', { at }),
    pathOf('GET /api/v1/seaplane/builds/:build/first-events', { at }),
  ];
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
      const { team, pipeline, job, vars: query } = route;
      const call = { at: { team, pipeline, job }, query };
      return [pathOf(`GET ${PIPELINE}/jobs/:job/builds`, call), pathOf(`GET ${PIPELINE}/jobs/:job`, call)];
    }
    default:
      return [];
  }
}
