import { createUploadedArtifact, reportWorker } from '@seaplane/db';
import { publishArtifact } from '@seaplane/db/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeSandbox } from './testing/make-sandbox.ts';
import { ROUTE_TABLE, type RouteClass, type TestRoute } from './testing/route-table.ts';
import { startedBuild } from './testing/run-build.ts';
import { saveVersions } from './testing/save-versions.ts';
import { setPipeline } from './testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from './testing/test-api.ts';

/** Whatever holds this word is for members of the team alone, even of a public pipeline. */
const HUSH = 'hush';
const YAML = `
resource_types: [{ name: t, type: base, source: { key: ${HUSH} }, params: { key: ${HUSH} }, defaults: { key: ${HUSH} } }]
prototypes: [{ name: proto, type: base, source: { key: ${HUSH} } }]
resources: [{ name: r, type: t, source: { key: ${HUSH} }, webhook_token: ${HUSH} }]
jobs:
- name: j
  plan:
  - get: r
  - { task: x, config: { platform: linux, rootfs_uri: x, params: { KEY: ${HUSH} }, run: { path: ls } } }
`;

let api: TestApi;
let parameters: Record<string, string>;
beforeAll(async () => {
  api = await createTestApi();
  const pipeline = await setPipeline(api, 'p', YAML);
  const [version] = await saveVersions(api, pipeline.id, 'r', [{ ref: 'a' }]);
  await api.pool.query('UPDATE resource_version SET metadata = $1', [JSON.stringify([{ name: 'x', value: HUSH }])]);
  const build = await startedBuild(api, pipeline.id, 'j');
  await api.pool.query('UPDATE build SET comment = $2 WHERE id = $1', [build, HUSH]);
  await makeSandbox(api, { handle: 'own', step: HUSH, buildId: build });
  await api.pool.query("INSERT INTO artifact (id, worker_name) VALUES ('a', 'w')");
  await publishArtifact(api.pool, build, HUSH, 'a');
  const artifact = await createUploadedArtifact(api.pool, { teamId: api.team.id, name: HUSH, artifactId: 'a' });
  await reportWorker(api.pool, {
    name: 'own',
    platform: 'linux',
    tags: [HUSH],
    team: 'team',
    version: '2.5',
    baseTypes: [],
    problems: [HUSH],
    usable: true,
    entry: '',
    ttlMs: 600_000,
  });
  parameters = {
    team: 'team',
    pipeline: 'p',
    job: 'j',
    resource: 'r',
    type: 't',
    version: String(version),
    build: String(build),
    handle: 'own',
    worker: 'own',
    step: 'x',
    component: 'scheduler',
    artifact: String(artifact.id),
  };
});
afterAll(() => api[Symbol.asyncDispose]());

async function send({ method, path, body }: TestRoute, as?: TestUser) {
  const values = {
    ...parameters,
    ...(path.includes('/prototypes/') && { type: 'proto' }),
    // Builds have a number, and within their job a name.
    ...(path.includes('/jobs/:job/builds/') && { build: '1' }),
  } as Record<string, string>;
  const filled = path.replace(/:(\w+)/g, (_, name: string) => values[name] ?? name);
  const response = await api.request(method, filled, { ...(as && { as }), ...(body !== undefined && { body }) });
  const text = response.headers.get('content-type')?.startsWith('text/event-stream')
    ? await response.body?.cancel()
    : await response.text();
  return { status: response.status, text: text ?? '' };
}

/** Everything that a request could have changed. */
async function state(): Promise<string> {
  const tables = [
    'team',
    'pipeline',
    'job',
    'resource',
    'resource_pin',
    'resource_disabled_version',
    'resource_version',
  ];
  const all = [
    ...tables,
    'build',
    'build_event',
    'sandbox',
    'artifact',
    'worker_artifact',
    'worker',
    'wall',
    'component',
  ];
  const digests = all.map(
    (table) => `(SELECT md5(coalesce(string_agg(x::text, ',' ORDER BY x::text), '')) FROM ${table} x)`,
  );
  const { rows } = await api.pool.query(`SELECT concat_ws(',', ${digests.join(', ')}) AS digest`);
  return rows[0].digest;
}

const REFUSED: Readonly<Record<'nobody' | 'stranger' | 'viewer', readonly RouteClass[]>> = {
  nobody: ['user', 'anyTeam', 'admin', 'viewer', 'operator', 'member', 'owner', 'public', 'publicJob', 'webhook'],
  stranger: ['admin', 'viewer', 'operator', 'member', 'owner', 'public', 'publicJob', 'webhook'],
  viewer: ['admin', 'operator', 'member', 'owner', 'webhook'],
};

/** A webhook without its token is a bad request, whoever sends it. */
function refusal(is: RouteClass, signedIn: boolean): number {
  if (is === 'webhook') return 400;
  return signedIn ? 403 : 401;
}

test('[API-ACC1] the table has every route of the API', () => {
  const routes = api.app.routes.filter(({ method, path }) => method !== 'ALL' && path.startsWith('/api/v1'));
  const there = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  expect([...there].toSorted()).toEqual(ROUTE_TABLE.map(({ method, path }) => `${method} ${path}`).toSorted());
});

function routesOf(...classes: readonly RouteClass[]): readonly TestRoute[] {
  return ROUTE_TABLE.filter(({ is }) => classes.includes(is));
}

/** Sends a request that must be refused, tell nothing and change nothing. */
async function expectRefused(route: TestRoute, as: TestUser | undefined): Promise<void> {
  const before = await state();
  const { status, text } = await send(route, as);
  const changed = (await state()) !== before;
  const expected = { status: refusal(route.is, as !== undefined), told: false, changed: false };
  expect({ route, status, told: text.includes(HUSH), changed }).toEqual({ route, ...expected });
}

test.each(['nobody', 'stranger', 'viewer'] as const)(
  '[API-ACC2] %s is refused routes for others, learns nothing and changes nothing',
  async (who) => {
    for (const route of routesOf(...REFUSED[who])) await expectRefused(route, who === 'nobody' ? undefined : who);
  },
);

test('[API-ACC3] lists hold nothing of teams that are not the requester’s', async () => {
  for (const route of routesOf('filtered', 'user', 'anyTeam')) {
    for (const as of route.is === 'filtered' ? ([undefined, 'stranger'] as const) : (['stranger'] as const)) {
      const { status, text } = await send(route, as);
      const told = [HUSH, '"p"', '"name":"j"'].filter((word) => text.includes(word));
      expect({ route, refused: status === 401 || status === 403, told }).toEqual({ route, refused: false, told: [] });
    }
  }
});

describe('of a public pipeline', () => {
  beforeAll(() => api.put('/api/v1/teams/team/pipelines/p/expose', 'admin'));
  afterAll(() => api.put('/api/v1/teams/team/pipelines/p/hide', 'admin'));

  test('[API-ACC4] everybody sees the public parts, and no secret', async () => {
    for (const route of routesOf('public').filter(({ path }) => !/(up|down)stream$/.test(path))) {
      for (const as of [undefined, 'stranger'] as const) {
        const { status, text } = await send(route, as);
        expect({ route, status, told: text.includes(HUSH) }).toEqual({ route, status: 200, told: false });
      }
    }
  });

  test('[API-ACC5] nobody may do more than that', async () => {
    const classes = REFUSED.stranger.filter((is) => is !== 'public');
    for (const route of routesOf(...classes)) await expectRefused(route, 'stranger');
  });
});

test('[API-ACC6] a viewer can use every route for viewers', async () => {
  for (const route of routesOf('viewer', 'public', 'publicJob')) {
    const { status } = await send(route, 'viewer');
    expect({ route, seen: [200, 404, 501].includes(status) }).toEqual({ route, seen: true });
  }
});

// In this order every route still finds what it needs.
test.each(['GET', 'POST', 'PUT', 'DELETE'])(
  '[API-ACC7] an owner can use every %s route in the team, except those for administrators',
  async (method) => {
    for (const route of ROUTE_TABLE.filter((each) => each.method === method)) {
      const { status } = await send(route, 'owner');
      expect({ route, refused: status === 401 || status === 403 }).toEqual({ route, refused: route.is === 'admin' });
    }
  },
);
