import { findSandbox, type Pipeline } from '@seaplane/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { containerJson } from '../../json/container-json.ts';
import { makeSandbox } from '../../testing/make-sandbox.ts';
import { startedBuild } from '../../testing/run-build.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

const YAML = 'resources: [{ name: r, type: t }]\njobs: [{ name: j, plan: [{ get: r }] }, { name: k, plan: [] }]';
const C = '/api/v1/teams/team/containers';

let api: TestApi;
let pipeline: Pipeline;
let builds: number[];
beforeAll(async () => {
  api = await createTestApi();
  pipeline = await setPipeline(api, 'p', YAML);
  const instance = await setPipeline(api, 'p', YAML, { query: '?vars={"branch":"main"}' });
  const theirs = await setPipeline(api, 'p', YAML, { team: api.other });
  builds = [
    await startedBuild(api, pipeline.id, 'j'),
    await startedBuild(api, pipeline.id, 'k'),
    await startedBuild(api, instance.id, 'j'),
    await startedBuild(api, theirs.id, 'j'),
  ];
  const [first, second, third, fourth] = builds as [number, number, number, number];
  await makeSandbox(api, { handle: 'get', type: 'get', step: 'r', buildId: first });
  await makeSandbox(api, { handle: 'task-1', step: 'unit', attempt: '1', buildId: first });
  await makeSandbox(api, { handle: 'task-2', step: 'unit', attempt: '2', buildId: first });
  await makeSandbox(api, { handle: 'other-job', step: 'unit', buildId: second });
  await makeSandbox(api, { handle: 'instance', step: 'unit', buildId: third });
  await makeSandbox(api, { handle: 'theirs', step: 'unit', buildId: fourth, team: 'other' });
  await makeSandbox(api, { handle: 'check', type: 'check', step: 'r' });
  await api.pool.query(
    `INSERT INTO sandbox_resource (handle, resource_id) SELECT 'check', id FROM resource WHERE pipeline_id = $1`,
    [pipeline.id],
  );
});
afterAll(() => api[Symbol.asyncDispose]());

async function handles(query: string, as: TestUser = 'viewer', path = C): Promise<string[]> {
  return ((await (await api.get(`${path}${query}`, as)).json()) as { id: string }[]).map(({ id }) => id);
}

test('[API-CON1] a team lists only its own containers', async () => {
  expect(await handles('')).toEqual(['get', 'task-1', 'task-2', 'other-job', 'instance', 'check']);
  expect(await handles('', 'stranger', '/api/v1/teams/other/containers')).toEqual(['theirs']);
  expect((await api.get(C, 'stranger')).status).toBe(403);
});

test('[API-CON2] a container has the fields that fly needs to show and enter it', async () => {
  expect(await (await api.get(`${C}/task-1`, 'viewer')).json()).toEqual({
    id: 'task-1',
    worker_name: 'worker',
    state: 'created',
    type: 'task',
    step_name: 'unit',
    attempt: '1',
    pipeline_id: pipeline.id,
    pipeline_name: 'p',
    job_id: expect.any(Number),
    job_name: 'j',
    build_id: builds[0],
    build_name: '1',
    user: 'root',
    working_directory: '/tmp/build/x',
    plan_id: expect.any(String),
  });
});

test('[API-CON6] a container of checks says when it goes if no check uses it', async () => {
  expect(await (await api.get(`${C}/check`, 'viewer')).json()).toMatchObject({
    expires_in: expect.stringMatching(/^([1-5]m)?\d+s$/),
  });
  const sandbox = await findSandbox(api.pool, 'check');
  const expiry = (seconds: number) =>
    sandbox && containerJson(sandbox, new Date(sandbox.lastUsedAt.getTime() + seconds * 1000)).expires_in;
  expect([0, 28, 255, 400].map(expiry)).toEqual(['5m0s', '4m32s', '45s', '0s']);
});

test('[API-CON3] a container of another team is answered with 404', async () => {
  expect((await api.get(`${C}/theirs`, 'viewer')).status).toBe(404);
  expect((await api.get(`${C}/none`, 'viewer')).status).toBe(404);
});

test.each([
  ['?type=get', ['get']],
  ['?step_name=unit&attempt=2', ['task-2']],
  ['?pipeline_name=p&job_name=j&build_name=1&step_name=unit&type=task&attempt=1', ['task-1']],
  ['?pipeline_name=p&job_name=k', ['other-job']],
  ['?pipeline_name=p&job_name=j&vars.branch="main"', ['instance']],
  ['?pipeline_name=nothing', []],
  ['?type=check&resource_name=r&pipeline_name=p', ['check']],
  ['?type=check&resource_name=r&pipeline_name=p&vars.branch="main"', []],
])('[API-CON4] %s finds %j', async (query, expected) => {
  expect(await handles(query)).toEqual(expected);
});

test('[API-CON4] containers are found by the ids of builds, jobs and pipelines', async () => {
  expect(await handles(`?build_id=${builds[1]}`)).toEqual(['other-job']);
  expect(await handles(`?build_id=${builds[3]}`)).toEqual([]);
  expect(await handles(`?pipeline_id=${pipeline.id}&type=get`)).toEqual(['get']);
});

test('[API-CON5] a type that does not exist, and an id that is not a number, are refused', async () => {
  for (const query of ['?build_id=one', '?job_id=x', '?type=pod', '?vars.x=y']) {
    expect((await api.get(`${C}${query}`, 'viewer')).status).toBe(400);
  }
});
