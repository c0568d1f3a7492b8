import type { Pipeline } from '@seaplane/db';
import { saveTaskCache } from '@seaplane/db/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { finishedBuild, startedBuild } from '../../testing/run-build.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

const YAML = `
groups: [{ name: g, jobs: [up, down] }, { name: h, jobs: [plain] }]
resources:
- { name: r, type: t, source: { key: 12345678901234567890 } }
- { name: s, type: t }
jobs:
- { name: up, plan: [{ get: r, trigger: true }, { put: s }] }
- name: down
  disable_manual_trigger: true
  plan: [{ get: a, resource: r, passed: [up], params: { depth: 1 }, tags: [x] }]
- { name: plain, plan: [] }
`;
const J = '/api/v1/teams/team/pipelines/p/jobs';

let api: TestApi;
let pipeline: Pipeline;
beforeAll(async () => {
  api = await createTestApi();
  pipeline = await setPipeline(api, 'p', YAML);
});
afterAll(() => api[Symbol.asyncDispose]());

const json = async (path: string, as?: TestUser) => (await api.get(path, as)).json();

test('[API-JOB1] a job has its inputs and outputs, and null for builds that do not exist', async () => {
  expect(await json(`${J}/up`, 'viewer')).toEqual({
    id: expect.any(Number),
    name: 'up',
    team_name: 'team',
    pipeline_id: pipeline.id,
    pipeline_name: 'p',
    groups: ['g'],
    next_build: null,
    finished_build: null,
    inputs: [{ name: 'r', resource: 'r', trigger: true }],
    outputs: [{ name: 's', resource: 's' }],
  });
  expect(await json(`${J}/down`, 'viewer')).toMatchObject({
    disable_manual_trigger: true,
    inputs: [{ name: 'a', resource: 'r', trigger: false, passed: ['up'] }],
  });
  expect((await api.get(`${J}/none`, 'viewer')).status).toBe(404);
});

test('[API-JOB2] a job has its latest finished build and the one that runs', async () => {
  const finished = await finishedBuild(api, pipeline.id, 'plain', 'failed');
  const next = await startedBuild(api, pipeline.id, 'plain');
  expect(await json(`${J}/plain`, 'viewer')).toMatchObject({
    next_build: { id: next, name: '2', status: 'started', api_url: `/api/v1/builds/${next}`, created_by: 'somebody' },
    finished_build: { id: finished, name: '1', status: 'failed', end_time: expect.any(Number) },
    transition_build: { id: finished },
  });
});

test('[API-JOB3] lists are in the order of the configuration, with summaries of builds', async () => {
  const jobs = (await json(J, 'viewer')) as { name: string; finished_build?: object }[];
  expect(jobs.map(({ name }) => name)).toEqual(['up', 'down', 'plain']);
  expect(jobs[0]).not.toHaveProperty('next_build');
  expect(jobs[2]?.finished_build).toEqual({
    id: expect.any(Number),
    name: '1',
    status: 'failed',
    team_name: 'team',
    pipeline_id: pipeline.id,
    pipeline_name: 'p',
    job_name: 'plain',
    start_time: expect.any(Number),
    end_time: expect.any(Number),
  });
});

test('[API-JOB4] /jobs lists the jobs of every pipeline that the requester may see', async () => {
  const names = async (as?: TestUser) =>
    ((await json('/api/v1/jobs', as)) as { pipeline_name: string; name: string }[]).map(({ name }) => name);
  expect(await names('viewer')).toEqual(['up', 'down', 'plain']);
  expect(await names('admin')).toEqual(['up', 'down', 'plain']);
  expect(await names('stranger')).toEqual([]);
  expect(await names()).toEqual([]);
});

test('[API-JOB5] a paused job shows who paused it; unpausing and scheduling request a look at the job', async () => {
  const requested = async () => {
    const { rows } = await api.pool.query("SELECT schedule_requested AS n FROM job WHERE name = 'up'");
    return rows[0].n as number;
  };
  expect((await api.put(`${J}/up/pause`, 'pipeline-operator')).status).toBe(200);
  expect(await json(`${J}/up`, 'viewer')).toMatchObject({
    paused: true,
    paused_by: 'pipeline-operator',
    paused_at: expect.any(Number),
  });
  const before = await requested();
  expect((await api.put(`${J}/up/unpause`, 'pipeline-operator')).status).toBe(200);
  expect(await json(`${J}/up`, 'viewer')).not.toHaveProperty('paused');
  expect((await api.put(`${J}/up/schedule`, 'pipeline-operator')).status).toBe(200);
  expect(await requested()).toBe(before + 2);
  expect((await api.put(`${J}/none/pause`, 'pipeline-operator')).status).toBe(404);
});

test('[API-JOB6] the inputs of the next build are shown with sources and params, once they are determined', async () => {
  expect((await api.get(`${J}/down/inputs`, 'viewer')).status).toBe(404);
  await api.pool.query(`
    WITH config AS (INSERT INTO resource_config (parent, source_digest) VALUES ('base:t', 'x') RETURNING id),
      scope AS (INSERT INTO resource_scope (resource_config_id, resource_id)
        SELECT config.id, r.id FROM config, resource r WHERE r.name = 'r' RETURNING id),
      version AS (INSERT INTO resource_version (scope_id, version, check_order)
        SELECT id, '{"ref":"abc"}', 1 FROM scope RETURNING digest),
      input AS (INSERT INTO next_build_input (job_id, input_name, resource_id, version_digest, first_occurrence)
        SELECT j.id, 'a', r.id, version.digest, true FROM version, job j, resource r
        WHERE j.name = 'down' AND r.name = 'r')
    UPDATE resource SET scope_id = scope.id FROM scope WHERE resource.name = 'r'`);
  expect((await api.get(`${J}/down/inputs`, 'viewer')).status).toBe(404);
  await api.pool.query("UPDATE job SET inputs_determined = true WHERE name = 'down'");
  const text = await (await api.get(`${J}/down/inputs`, 'viewer')).text();
  expect(text).toContain('"source":{"key":12345678901234567890}');
  expect(JSON.parse(text)).toMatchObject([
    { name: 'a', resource: 'r', type: 't', version: { ref: 'abc' }, params: { depth: 1 }, tags: ['x'] },
  ]);
});

test('[API-JOB7] the caches of a task are cleared, all or one', async () => {
  const { rows } = await api.pool.query("SELECT id FROM job WHERE name = 'plain'");
  const cache = async (path: string) => {
    await api.pool.query("INSERT INTO artifact (id, worker_name) VALUES ($1, 'w') ON CONFLICT DO NOTHING", [path]);
    await saveTaskCache(api.pool, { jobId: rows[0].id, stepName: 'build', path, worker: 'w' }, path);
  };
  for (const path of ['a', 'b', 'c']) await cache(path);
  const clear = async (query: string, job = 'plain') =>
    api.request('DELETE', `${J}/${job}/tasks/build/cache${query}`, { as: 'pipeline-operator' });
  expect(await (await clear('?cache_path=a')).json()).toEqual({ caches_removed: 1 });
  expect(await (await clear('')).json()).toEqual({ caches_removed: 2 });
  const missing = await clear('', 'none');
  expect(missing.status).toBe(404);
  expect(await missing.json()).toMatchObject({ errors: [{ detail: "There is no job 'none' in pipeline 'p'." }] });
});
