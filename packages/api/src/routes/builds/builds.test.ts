import { findBuild, type Pipeline } from '@seaplane/db';
import { publishArtifact } from '@seaplane/db/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBuild, finishedBuild, PUBLIC_PLAN, startedBuild } from '../../testing/run-build.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

const YAML = 'jobs: [{ name: j, plan: [] }]';

let api: TestApi;
let pipeline: Pipeline;
beforeEach(async () => {
  api = await createTestApi();
  pipeline = await setPipeline(api, 'p', YAML);
});
afterEach(() => api[Symbol.asyncDispose]());

async function ids(path: string, as?: TestUser): Promise<number[]> {
  return ((await (await api.get(path, as)).json()) as { id: number }[]).map(({ id }) => id);
}

describe('lists', () => {
  test('[API-BLD1] hold the builds that the requester may see, of all teams, a team or a pipeline', async () => {
    const own = await createBuild(api, pipeline.id, 'j');
    const shown = await setPipeline(api, 'shown', YAML);
    const open = await createBuild(api, shown.id, 'j');
    const theirs = await createBuild(api, (await setPipeline(api, 'p', YAML, { team: api.other })).id, 'j');
    await api.put('/api/v1/teams/team/pipelines/shown/expose', 'member');
    expect(await ids('/api/v1/builds')).toEqual([open]);
    expect(await ids('/api/v1/builds', 'viewer')).toEqual([open, own]);
    expect(await ids('/api/v1/builds', 'stranger')).toEqual([theirs, open]);
    expect(await ids('/api/v1/builds', 'admin')).toEqual([theirs, open, own]);
    expect(await ids('/api/v1/teams/team/builds', 'viewer')).toEqual([open, own]);
    expect((await api.get('/api/v1/teams/team/builds', 'stranger')).status).toBe(403);
    expect(await ids('/api/v1/teams/team/pipelines/shown/builds')).toEqual([open]);
  });

  test('[API-BLD2] come in pages, with links in both directions', async () => {
    const all: number[] = [];
    for (let i = 0; i < 4; i++) all.unshift(await createBuild(api, pipeline.id, 'j'));
    const page = await api.get(`/api/v1/builds?to=${all[1]}&limit=2`, 'viewer');
    const base = 'https://ci.example.com/api/v1/builds';
    expect(page.headers.get('Link')).toBe(
      `<${base}?to=${all[3]}&limit=2>; rel="next", <${base}?from=${all[0]}&limit=2>; rel="previous"`,
    );
    expect(((await page.json()) as { id: number }[]).map(({ id }) => id)).toEqual([all[1], all[2]]);
    const large = await api.get(`/api/v1/builds?to=${all[1]}&limit=999999999`, 'viewer');
    expect(large.headers.get('Link')).toBe(`<${base}?from=${all[0]}&limit=1000>; rel="previous"`);
    expect(await ids(`/api/v1/builds?from=${all[2]}&limit=2`, 'viewer')).toEqual([all[1], all[2]]);
    expect(await ids(`/api/v1/builds?from=${all[2]}&to=${all[1]}`, 'viewer')).toEqual([all[2], all[1]]);
    expect((await api.get(`/api/v1/builds?from=${all[0]}&to=${all[1]}`, 'viewer')).status).toBe(404);
  });

  test('[API-BLD2] link to builds of an instance with its vars', async () => {
    const query = '?vars={"branch":"main"}';
    const instance = await setPipeline(api, 'i', YAML, { query });
    for (let i = 0; i < 2; i++) await createBuild(api, instance.id, 'j');
    const page = await api.get(`/api/v1/teams/team/pipelines/i/builds${query}&limit=1`, 'viewer');
    expect(page.headers.get('Link')).toContain('&vars.branch=%22main%22>; rel="next"');
    expect(await page.json()).toMatchObject([{ pipeline_instance_vars: { branch: 'main' } }]);
  });

  test('[API-BLD3] lie between two times, both inclusive, and then have no links', async () => {
    const first = await finishedBuild(api, pipeline.id, 'j');
    const second = await finishedBuild(api, pipeline.id, 'j');
    await createBuild(api, pipeline.id, 'j');
    for (const [id, time] of [
      [first, 1000],
      [second, 2000],
    ]) {
      await api.pool.query('UPDATE build SET started_at = to_timestamp($2) WHERE id = $1', [id, time]);
    }
    expect(await ids('/api/v1/builds?timestamps=true&from=1000&to=2000', 'viewer')).toEqual([second, first]);
    expect(await ids('/api/v1/builds?timestamps=true&from=1001', 'viewer')).toEqual([second]);
    const page = await api.get('/api/v1/teams/team/builds?timestamps=true&to=1999&limit=1', 'viewer');
    expect(page.headers.get('Link')).toBeNull();
    expect(await page.json()).toMatchObject([{ id: first }]);
  });
});

describe('fly execute', () => {
  const plan = {
    id: 'a',
    do: [
      { id: 'b', artifact_input: { artifact_id: 1, name: 'in' } },
      { id: 'c', task: { name: 'one-off', privileged: false, config: { platform: 'linux', run: { path: 'ls' } } } },
    ],
  };

  test('[API-EXEC1] a plan for a team starts at once', async () => {
    const response = await api.post('/api/v1/teams/team/builds', 'member', plan);
    expect(response.status).toBe(201);
    const build = (await response.json()) as { id: number };
    expect(build).toMatchObject({ status: 'started', team_name: 'team', name: '1', created_by: 'member' });
    expect(build).not.toHaveProperty('job_name');
    const shown = await (await api.get(`/api/v1/builds/${build.id}/plan`, 'viewer')).json();
    expect(shown).toMatchObject({ schema: 'exec.v2', plan: { id: 'a', do: [{ id: 'b' }, { id: 'c' }] } });
    expect(JSON.stringify(shown)).not.toContain('linux');
  });

  test('[API-EXEC1] a plan for a pipeline starts at once', async () => {
    const response = await api.post('/api/v1/teams/team/pipelines/p/builds', 'member', plan);
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ status: 'started', pipeline_name: 'p', pipeline_id: pipeline.id });
  });

  test('[API-EXEC2] a body that is not a plan is refused with the reason', async () => {
    const response = await api.post('/api/v1/teams/team/builds', 'member', { id: 'a' });
    expect(response.status).toBe(400);
    expect(await response.text()).toMatch(/^invalid plan: /);
    expect((await api.post('/api/v1/teams/team/builds', 'member', 'plan')).status).toBe(400);
  });
});

test('[API-BLD4] a build has Concourse’s fields', async () => {
  const id = await finishedBuild(api, pipeline.id, 'j', 'errored');
  expect(await (await api.get(`/api/v1/builds/${id}`, 'viewer')).json()).toEqual({
    id,
    team_name: 'team',
    name: '1',
    status: 'errored',
    api_url: `/api/v1/builds/${id}`,
    job_name: 'j',
    pipeline_id: pipeline.id,
    pipeline_name: 'p',
    start_time: expect.any(Number),
    end_time: expect.any(Number),
    created_by: 'somebody',
  });
  expect((await api.get('/api/v1/builds/99999', 'admin')).status).toBe(404);
  expect((await api.get('/api/v1/builds/one', 'admin')).status).toBe(400);
});

test('[API-BLD5] a plan is shown once the build has started', async () => {
  const pending = await createBuild(api, pipeline.id, 'j');
  expect((await api.get(`/api/v1/builds/${pending}/plan`, 'viewer')).status).toBe(404);
  const started = await startedBuild(api, pipeline.id, 'j');
  expect(await (await api.get(`/api/v1/builds/${started}/plan`, 'viewer')).json()).toEqual({
    schema: 'exec.v2',
    plan: PUBLIC_PLAN,
  });
});

test('[API-BLD6] aborting answers 204, even after the end', async () => {
  const id = await startedBuild(api, pipeline.id, 'j');
  expect((await api.put(`/api/v1/builds/${id}/abort`, 'pipeline-operator')).status).toBe(204);
  expect((await findBuild(api.pool, id))?.aborted).toBe(true);
  const ended = await finishedBuild(api, pipeline.id, 'j');
  expect((await api.put(`/api/v1/builds/${ended}/abort`, 'pipeline-operator')).status).toBe(204);
});

test('[API-BLD7] the preparation shows what a pending build waits for', async () => {
  const id = await createBuild(api, pipeline.id, 'j');
  await api.put('/api/v1/teams/team/pipelines/p/pause', 'member');
  expect(await (await api.get(`/api/v1/builds/${id}/preparation`, 'viewer')).json()).toEqual({
    build_id: id,
    paused_pipeline: 'blocking',
    paused_job: 'not_blocking',
    max_running_builds: 'not_blocking',
    inputs: {},
    inputs_satisfied: 'not_blocking',
    missing_input_reasons: {},
  });
});

test('[API-BLD8] the resources are the versions that a build got and put', async () => {
  await setPipeline(api, 'q', 'resources: [{ name: r, type: t }]\njobs: [{ name: j, plan: [{ get: r }] }]');
  const { rows } = await api.pool.query('SELECT id FROM pipeline WHERE name = $1', ['q']);
  const id = await startedBuild(api, rows[0].id, 'j');
  for (const [table, columns, version] of [
    ['build_input', "name, first_occurrence, job_id) SELECT 'got', true, (SELECT job_id FROM build WHERE id = $1)", 1],
    ['build_output', "name) SELECT 'made'", 2],
  ]) {
    await api.pool.query(
      `INSERT INTO ${table} (build_id, resource_id, version, version_digest, ${String(columns).replace(
        'SELECT ',
        `SELECT $1, r.id, '{"v":"${version}"}', '${version}', `,
      )} FROM resource r`,
      [id],
    );
  }
  expect(await (await api.get(`/api/v1/builds/${id}/resources`, 'viewer')).json()).toEqual({
    inputs: [{ name: 'got', version: { v: '1' }, pipeline_id: rows[0].id, first_occurrence: true }],
    outputs: [{ name: 'made', version: { v: '2' } }],
  });
});

test('[API-BLD9] the artifacts are those that fly execute may download', async () => {
  const id = await startedBuild(api, pipeline.id, 'j');
  expect(await (await api.get(`/api/v1/builds/${id}/artifacts`, 'viewer')).json()).toEqual([]);
  await api.pool.query("INSERT INTO artifact (id, worker_name) VALUES ('a', 'w')");
  await publishArtifact(api.pool, id, 'out', 'a');
  expect(await (await api.get(`/api/v1/builds/${id}/artifacts`, 'viewer')).json()).toEqual([
    { id: expect.any(Number), name: 'out', build_id: id, created_at: expect.any(Number) },
  ]);
});
