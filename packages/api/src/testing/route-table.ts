import type { RouteName } from '../answers/routes.ts';

/**
 * Who may use a route, besides administrators (docs/concourse/fly-api.md, section 1). Everybody may use a `public`
 * route of a public pipeline; a `publicJob` route only for its public jobs. A `filtered` route answers everybody with
 * what each may see.
 */
export type RouteClass =
  | 'filtered'
  | 'user'
  | 'anyTeam'
  | 'admin'
  | 'viewer'
  | 'operator'
  | 'member'
  | 'owner'
  | 'public'
  | 'publicJob'
  | 'webhook';

export interface TestRoute<R extends RouteName = RouteName> {
  readonly name: R;
  readonly method: string;
  readonly path: string;
  readonly is: RouteClass;
  readonly body?: unknown;
}

const P = '/api/v1/teams/:team/pipelines/:pipeline';
const R = `${P}/resources/:resource` as const;
const V = `${R}/versions/:version` as const;
const J = `${P}/jobs/:job` as const;
const B = '/api/v1/builds/:build';
const PLAN = { id: '1', task: { name: 't', privileged: false } };

/** Every route of the API. Routes that destroy come last, in an order in which each still finds what it destroys. */
export const ROUTE_TABLE: readonly TestRoute[] = everyRoute([
  route('GET /api/v1/info', 'filtered'),
  route('GET /api/v1/seaplane/session', 'filtered'),
  route('GET /api/v1/seaplane/live', 'filtered'),
  route('GET /api/v1/cli', 'filtered'),
  route('GET /api/v1/wall', 'filtered'),
  route('GET /api/v1/teams', 'filtered'),
  route('GET /api/v1/pipelines', 'filtered'),
  route('GET /api/v1/jobs', 'filtered'),
  route('GET /api/v1/builds', 'filtered'),
  route('GET /api/v1/resources', 'filtered'),
  route('GET /api/v1/teams/:team/pipelines', 'filtered'),
  route('GET /api/v1/teams/:team/cc.xml', 'filtered'),
  route('GET /api/v1/pipelines/:pipeline/jobs/:job/badge', 'filtered'),
  route('GET /api/v1/user', 'user'),
  route('POST /api/v1/seaplane/fly-token', 'user'),
  route('GET /api/v1/workers', 'anyTeam'),

  route('GET /api/v1/users', 'admin'),
  route('GET /api/v1/info/creds', 'admin'),
  route('GET /api/v1/log-level', 'admin'),
  route('PUT /api/v1/log-level', 'admin', 'info'),
  route('GET /api/v1/components', 'admin'),
  route('PUT /api/v1/components/pause', 'admin'),
  route('PUT /api/v1/components/unpause', 'admin'),
  route('PUT /api/v1/components/:component/pause', 'admin'),
  route('PUT /api/v1/components/:component/unpause', 'admin'),
  route('PUT /api/v1/wall', 'admin', { message: 'hello' }),
  route('DELETE /api/v1/wall', 'admin'),
  route(`GET ${R}/shared`, 'admin'),
  route(`GET ${P}/resource-types/:type/shared`, 'admin'),

  route('GET /api/v1/teams/:team', 'viewer'),
  route('GET /api/v1/teams/:team/builds', 'viewer'),
  route('GET /api/v1/teams/:team/containers', 'viewer'),
  route('GET /api/v1/teams/:team/containers/:handle', 'viewer'),
  route('GET /api/v1/teams/:team/volumes', 'viewer'),
  route(`GET ${P}/config`, 'viewer'),
  route(`GET ${P}/versions-db`, 'viewer'),
  route(`GET ${J}/inputs`, 'viewer'),

  route(`GET ${P}`, 'public'),
  route(`GET ${P}/builds`, 'public'),
  route(`GET ${P}/badge`, 'public'),
  route(`GET ${P}/jobs`, 'public'),
  route(`GET ${J}`, 'public'),
  route(`GET ${J}/badge`, 'public'),
  route(`GET ${J}/builds`, 'public'),
  route(`GET ${J}/builds/:build`, 'public'),
  route(`GET ${P}/resources`, 'public'),
  route(`GET ${R}`, 'public'),
  route(`GET ${P}/resource-types`, 'public'),
  route(`GET ${R}/versions`, 'public'),
  route(`GET ${V}`, 'public'),
  route(`GET ${V}/input_to`, 'public'),
  route(`GET ${V}/output_of`, 'public'),
  route(`GET ${B}`, 'public'),
  route(`GET ${B}/resources`, 'public'),
  route(`GET ${B}/plan`, 'publicJob'),
  route(`GET ${B}/events`, 'publicJob'),
  route('GET /api/v1/seaplane/builds/:build/first-events', 'publicJob'),
  route(`GET ${B}/preparation`, 'publicJob'),
  route(`GET ${B}/artifacts`, 'publicJob'),

  route(`POST ${R}/check/webhook`, 'webhook'),
  route(`PUT ${P}/unpause`, 'operator'),
  route(`PUT ${P}/pause`, 'operator'),
  route(`PUT ${J}/pause`, 'operator'),
  route(`PUT ${J}/unpause`, 'operator'),
  route(`PUT ${J}/schedule`, 'operator'),
  route(`POST ${J}/builds`, 'operator'),
  route(`POST ${J}/builds/:build`, 'operator'),
  route(`DELETE ${J}/tasks/:step/cache`, 'operator'),
  route(`POST ${R}/check`, 'operator', {}),
  route(`POST ${P}/resource-types/:type/check`, 'operator', {}),
  route(`POST ${P}/prototypes/:type/check`, 'operator', {}),
  route(`PUT ${V}/disable`, 'operator'),
  route(`PUT ${V}/enable`, 'operator'),
  route(`PUT ${V}/pin`, 'operator'),
  route(`PUT ${R}/pin_comment`, 'operator', { pin_comment: 'why' }),
  route(`PUT ${R}/unpin`, 'operator'),
  route(`DELETE ${R}/cache`, 'operator'),
  route(`PUT ${B}/comment`, 'operator', { comment: 'remark' }),
  route(`PUT ${B}/abort`, 'operator'),

  route(`PUT ${P}/config`, 'member', { jobs: [] }),
  route(`PUT ${P}/ordering`, 'member', []),
  route('PUT /api/v1/teams/:team/pipelines/ordering', 'member', ['p']),
  route(`PUT ${P}/expose`, 'member'),
  route(`PUT ${P}/hide`, 'member'),
  route(`PUT ${P}/rename`, 'member', { name: 'p' }),
  route(`POST ${P}/builds`, 'member', PLAN),
  route('POST /api/v1/teams/:team/builds', 'member', PLAN),
  route('POST /api/v1/teams/:team/artifacts', 'member', 'not an archive'),
  route('GET /api/v1/teams/:team/artifacts/:artifact', 'member'),
  route('GET /api/v1/teams/:team/containers/:handle/hijack', 'member'),
  route('PUT /api/v1/workers/:worker/land', 'member'),
  route('PUT /api/v1/workers/:worker/retire', 'member'),
  route('PUT /api/v1/workers/:worker/prune', 'member'),
  route('PUT /api/v1/teams/:team', 'owner', { auth: { owner: { users: ['local:owner'] } } }),
  route('PUT /api/v1/teams/:team/rename', 'owner', { name: 'team' }),

  route('POST /api/v1/workers', 'user'),
  route('PUT /api/v1/workers/:worker/heartbeat', 'user'),
  route('DELETE /api/v1/workers/:worker', 'user'),
  route('GET /api/v1/containers/destroying', 'user'),
  route('PUT /api/v1/containers/report', 'user'),
  route('GET /api/v1/volumes/destroying', 'user'),
  route('PUT /api/v1/volumes/report', 'user'),

  route(`DELETE ${R}/versions`, 'admin'),
  route(`DELETE ${P}/resource-types/:type/versions`, 'admin'),
  route(`GET ${V}/upstream`, 'public'),
  route(`GET ${V}/downstream`, 'public'),
  route(`PUT ${P}/archive`, 'member'),
  route(`DELETE ${P}`, 'member'),
  route('DELETE /api/v1/teams/:team', 'admin'),
]);

function route<R extends RouteName>(name: R, is: RouteClass, body?: unknown): TestRoute<R> {
  const [method = '', path = ''] = name.split(' ');
  return { name, method, path, is, ...(body !== undefined && { body }) };
}

/** Compiles only if no route of the API is missing. */
function everyRoute<R extends RouteName>(
  table: readonly TestRoute<R>[],
  ..._missing: [RouteName] extends [R] ? [] : [Exclude<RouteName, R>]
): readonly TestRoute[] {
  return table;
}
