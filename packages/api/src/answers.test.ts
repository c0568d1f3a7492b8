import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiRoutes } from './answers/routes.ts';
import { answerParts, N, TEXT } from './testing/answer-parts.ts';
import { call, type JsonRoute, type ParametersOf } from './testing/call.ts';
import { createAnsweringApi, type Everything, makeEverything, QUERY } from './testing/make-everything.ts';
import { PUBLIC_PLAN } from './testing/run-build.ts';
import type { TestApi, TestUser } from './testing/test-api.ts';
import { CONCOURSE_VERSION, WORKER_VERSION } from './version.ts';

let api: TestApi;
let all: Everything;
beforeAll(async () => {
  api = await createAnsweringApi();
  all = await makeEverything(api);
});
afterAll(() => api[Symbol.asyncDispose]());

interface Case<R extends JsonRoute> {
  readonly as?: TestUser;
  readonly parameters?: Partial<ParametersOf<R>>;
  readonly query?: string;
  readonly body?: ApiRoutes[R]['body'];
  readonly answer: ApiRoutes[R]['answer'];
}

type Cases = { readonly [R in JsonRoute]: Case<R> };

/** The answer of each route, in an order in which every route still finds what it needs. */
function casesOf(made: Everything): Cases {
  const { pipelineId, versionId, finished, pending } = made;
  const {
    team,
    owner,
    of,
    pipeline,
    build,
    waiting,
    checked,
    started,
    job,
    jobs,
    resource,
    version,
    container,
    oneOff,
    shared,
  } = answerParts(made);
  return {
    'GET /api/v1/info/creds': { answer: {} },
    'GET /api/v1/info': {
      answer: {
        version: CONCOURSE_VERSION,
        worker_version: WORKER_VERSION,
        feature_flags: {
          global_resources: false,
          redact_secrets: true,
          build_rerun: false,
          across_step: true,
          pipeline_instances: true,
          cache_streamed_volumes: true,
          resource_causality: true,
        },
        external_url: 'https://ci.example.com',
        cluster_name: 'test',
      },
    },
    'GET /api/v1/user': { as: 'owner', answer: owner },
    'GET /api/v1/seaplane/session': { as: 'owner', answer: { user: owner, expires_at: N, cluster_name: 'test' } },
    'POST /api/v1/seaplane/fly-token': { as: 'owner', answer: { token: expect.stringMatching(/^bearer \S+$/) } },
    'GET /api/v1/users': {
      answer: [
        { id: N, username: 'admin', connector: 'local', last_login: N, sub: TEXT },
        { id: N, username: 'owner', connector: 'local', last_login: N, sub: TEXT },
      ],
    },
    'GET /api/v1/wall': { answer: { message: 'hello', TTL: N } },
    'GET /api/v1/components': {
      answer: [{ name: 'scheduler', interval: 10_000_000_000, last_ran: '0001-01-01T00:00:00Z', paused: false }],
    },
    'GET /api/v1/teams': { as: 'viewer', answer: [team] },
    'GET /api/v1/teams/:team': { answer: team },
    'GET /api/v1/pipelines': { answer: [pipeline] },
    'GET /api/v1/teams/:team/pipelines': { answer: [pipeline] },
    'GET /api/v1/teams/:team/pipelines/:pipeline': { answer: pipeline },
    'GET /api/v1/teams/:team/pipelines/:pipeline/config': { answer: { config: expect.any(Object) } },
    'GET /api/v1/jobs': { answer: jobs },
    'GET /api/v1/teams/:team/pipelines/:pipeline/jobs': { answer: jobs },
    'GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job': {
      answer: {
        ...job,
        next_build: null,
        finished_build: { ...build, comment: 'remark' },
        transition_build: { ...build, comment: 'remark' },
        inputs: [{ name: 'r', resource: 'r', trigger: true }],
      },
    },
    'GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/inputs': {
      parameters: { job: 'next' },
      answer: [
        {
          name: 'in',
          resource: 'r',
          type: 't',
          source: { uri: 'x' },
          version: { ref: 'a' },
          params: { depth: 1 },
          tags: ['a'],
        },
      ],
    },
    'DELETE /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/tasks/:step/cache': { answer: { caches_removed: 0 } },
    'DELETE /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/cache': { answer: { caches_removed: 0 } },
    'GET /api/v1/builds': { answer: [checked, waiting, build] },
    'GET /api/v1/teams/:team/builds': { answer: [checked, waiting, build] },
    'GET /api/v1/teams/:team/pipelines/:pipeline/builds': { answer: [checked, waiting, build] },
    'GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds': { answer: [{ ...build, comment: 'remark' }] },
    'GET /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build': {
      parameters: { build: '1' },
      answer: { ...build, comment: 'remark' },
    },
    'GET /api/v1/builds/:build': { answer: { ...build, comment: 'remark' } },
    'GET /api/v1/builds/:build/plan': { answer: { schema: 'exec.v2', plan: PUBLIC_PLAN } },
    'GET /api/v1/seaplane/builds/:build/first-events': {
      answer: { events: expect.any(Array), ended: true },
    },
    'GET /api/v1/builds/:build/resources': {
      answer: {
        inputs: [{ name: 'in', version: { ref: 'a' }, pipeline_id: pipelineId, first_occurrence: true }],
        outputs: [{ name: 'out', version: { ref: 'b' } }],
      },
    },
    'GET /api/v1/builds/:build/preparation': {
      parameters: { build: String(pending) },
      answer: {
        build_id: pending,
        paused_pipeline: 'blocking',
        paused_job: 'not_blocking',
        max_running_builds: 'not_blocking',
        inputs: { in: 'not_blocking' },
        inputs_satisfied: 'not_blocking',
        missing_input_reasons: {},
      },
    },
    'GET /api/v1/builds/:build/artifacts': {
      answer: [{ id: N, name: 'made', build_id: finished, created_at: N }],
    },
    'GET /api/v1/resources': { answer: [resource] },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resources': { answer: [resource] },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource': { answer: resource },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resource-types': {
      answer: [{ name: 't', type: 'base', source: { key: 'x' } }],
    },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/shared': {
      answer: { resources: [{ name: 'r', ...shared }], resource_types: [] },
    },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resource-types/:type/shared': {
      answer: { resources: [], resource_types: [] },
    },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions': { answer: [version] },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version': { answer: version },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/input_to': { answer: [build] },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/output_of': { answer: [] },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/downstream': {
      answer: {
        jobs: [{ id: N, name: 'j', build_ids: [finished] }],
        builds: [{ id: finished, name: '1', job_id: N, status: 'succeeded' }],
        resources: [{ id: N, name: 'r', version_ids: [versionId] }],
        resource_versions: [{ id: versionId, resource_id: N, version: { ref: 'a' }, build_ids: [finished] }],
      },
    },
    'GET /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions/:version/upstream': {
      answer: { jobs: [], builds: [], resources: [], resource_versions: [] },
    },
    'GET /api/v1/workers': {
      answer: [
        {
          addr: 'slow',
          baggageclaim_url: '',
          active_containers: 1,
          active_volumes: 0,
          active_tasks: 0,
          resource_types: [],
          platform: 'linux',
          tags: ['a'],
          team: '',
          name: 'worker',
          version: '2.5',
          start_time: N,
          ephemeral: false,
          state: 'running',
        },
      ],
    },
    'GET /api/v1/teams/:team/containers': { answer: [container] },
    'GET /api/v1/teams/:team/containers/:handle': { answer: container },
    'GET /api/v1/teams/:team/volumes': {
      answer: [
        {
          id: 'a',
          worker_name: 'w',
          type: 'artifact',
          container_handle: '',
          path: '',
          parent_handle: '',
          resource_type: null,
          base_resource_type: null,
          pipeline_id: 0,
          pipeline_name: '',
          pipeline_instance_vars: null,
          job_name: '',
          step_name: '',
        },
      ],
    },
    'POST /api/v1/teams/:team/artifacts': {
      body: new Blob(['']).stream(),
      answer: { id: N, name: 'upload', build_id: 0, created_at: N },
    },
    'POST /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/check': {
      body: { from: { ref: 'a' } },
      answer: { ...started, resource_name: 'r' },
    },
    'POST /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/check/webhook': {
      query: '&webhook_token=secret',
      answer: { ...started, resource_name: 'r' },
    },
    'POST /api/v1/teams/:team/pipelines/:pipeline/resource-types/:type/check': { body: {}, answer: started },
    'POST /api/v1/teams/:team/pipelines/:pipeline/prototypes/:type/check': {
      parameters: { type: 'proto' },
      body: { shallow: true },
      answer: started,
    },
    'POST /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds': {
      answer: { ...waiting, id: N, name: '2', api_url: TEXT, job_name: 'j', created_by: 'admin' },
    },
    'POST /api/v1/teams/:team/pipelines/:pipeline/jobs/:job/builds/:build': {
      parameters: { build: '1' },
      answer: {
        ...waiting,
        id: N,
        name: '1.1',
        api_url: TEXT,
        job_name: 'j',
        created_by: 'admin',
        rerun_number: 1,
        rerun_of: { id: finished, name: '1' },
      },
    },
    'POST /api/v1/teams/:team/builds': { body: PLAN_BODY, answer: { ...oneOff, created_by: 'admin' } },
    'POST /api/v1/teams/:team/pipelines/:pipeline/builds': {
      body: PLAN_BODY,
      answer: { ...oneOff, ...of, created_by: 'admin' },
    },
    'PUT /api/v1/teams/:team/pipelines/:pipeline/config': {
      body: { jobs: [{ name: 'J', plan: [] }] },
      parameters: { pipeline: 'new' },
      answer: { warnings: [{ type: 'invalid_identifier', message: TEXT }] },
    },
    'PUT /api/v1/teams/:team/pipelines/:pipeline/rename': { body: { name: 'p' }, answer: {} },
    'PUT /api/v1/teams/:team/rename': { body: { name: 'team' }, answer: {} },
    'DELETE /api/v1/teams/:team/pipelines/:pipeline/resources/:resource/versions': { answer: { versions_removed: 1 } },
    'DELETE /api/v1/teams/:team/pipelines/:pipeline/resource-types/:type/versions': { answer: { versions_removed: 0 } },
    'PUT /api/v1/teams/:team': {
      parameters: { team: 'New' },
      body: { auth: { owner: { users: ['local:bob'] }, viewer: { groups: ['github:org'] } } },
      answer: {
        warnings: [{ type: 'invalid_identifier', message: TEXT }],
        team: {
          id: N,
          name: 'New',
          auth: { owner: { users: ['local:bob'], groups: [] }, viewer: { users: [], groups: ['github:org'] } },
        },
      },
    },
  };
}

/** A plan as `fly execute` sends it. */
const PLAN_BODY = { id: '1', task: { name: 'one-off', privileged: false } };

test('[API-ANS1] every route that answers with JSON sends exactly the answer that its type declares', async () => {
  const cases = casesOf(all);
  for (const route of Object.keys(cases) as JsonRoute[]) await expectAnswer(route, cases[route]);
});

async function expectAnswer<R extends JsonRoute>(route: R, { answer, parameters, query = '', ...sent }: Case<R>) {
  const usual = {
    team: 'team',
    pipeline: 'p',
    job: 'j',
    step: 'build',
    resource: 'r',
    type: 't',
    version: String(all.versionId),
    build: String(all.finished),
    handle: 'sandbox',
  };
  const filled = { ...usual, ...parameters } as ParametersOf<R>;
  const received = await call(api, route, { ...sent, parameters: filled, query: `${QUERY}${query}` });
  expect({ route, answer: received }).toEqual({ route, answer });
}

test('[API-ANS3] an answer that the requester has already is not sent again', async () => {
  const first = await api.get('/api/v1/info', 'admin');
  const etag = first.headers.get('etag') ?? '';
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  const again = await api.request('GET', '/api/v1/info', { headers: { 'If-None-Match': etag } });
  expect({ status: again.status, body: await again.text() }).toEqual({ status: 304, body: '' });
  const other = await api.request('GET', '/api/v1/pipelines', { as: 'admin', headers: { 'If-None-Match': etag } });
  expect(other.status).toBe(200);
});
