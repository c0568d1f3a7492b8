import { archivePipeline, finishBuild, type Pipeline } from '@seaplane/db';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBuild, finishedBuild } from '../../testing/run-build.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

const YAML = `
jobs:
- { name: j, plan: [] }
- { name: by-itself, disable_manual_trigger: true, disable_reruns: true, plan: [] }
- { name: public, public: true, plan: [] }
`;
const J = '/api/v1/teams/team/pipelines/p/jobs';

let api: TestApi;
let pipeline: Pipeline;
beforeEach(async () => {
  api = await createTestApi();
  pipeline = await setPipeline(api, 'p', YAML);
});
afterEach(() => api[Symbol.asyncDispose]());

const names = async (response: Response) => ((await response.json()) as { name: string }[]).map(({ name }) => name);

describe('POST …/builds', () => {
  test('[API-TRIG1] creates a pending build of the requester', async () => {
    const response = await api.post(`${J}/j/builds`, 'pipeline-operator');
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      name: '1',
      status: 'pending',
      job_name: 'j',
      pipeline_name: 'p',
      team_name: 'team',
      created_by: 'pipeline-operator',
    });
  });

  test('[API-TRIG2] is refused if the job forbids it or the pipeline is archived', async () => {
    expect((await api.post(`${J}/by-itself/builds`, 'member')).status).toBe(409);
    expect((await api.post(`${J}/none/builds`, 'member')).status).toBe(404);
    await archivePipeline(api.pool, pipeline.id, 'test');
    const archived = await api.post(`${J}/j/builds`, 'member');
    expect(archived.status).toBe(409);
    expect(await archived.text()).toBe('action not allowed for an archived pipeline');
  });
});

describe('POST …/builds/:build', () => {
  test('[API-TRIG3] creates a rerun; a rerun of a rerun is one of the original', async () => {
    const original = await finishedBuild(api, pipeline.id, 'j');
    const first = await api.post(`${J}/j/builds/1`, 'pipeline-operator');
    expect(first.status).toBe(200);
    expect(await first.json()).toMatchObject({
      name: '1.1',
      status: 'pending',
      rerun_number: 1,
      rerun_of: { id: original, name: '1' },
    });
    await api.pool.query("UPDATE build SET inputs_ready = true WHERE name = '1.1'");
    expect(await (await api.post(`${J}/j/builds/1.1`, 'member')).json()).toMatchObject({ name: '1.2' });
  });

  test('[API-TRIG4] is refused if the build never got its inputs or the job forbids it', async () => {
    const pending = await createBuild(api, pipeline.id, 'j');
    await finishBuild(api.pool, pending, 'aborted');
    expect((await api.post(`${J}/j/builds/1`, 'member')).status).toBe(500);
    await finishedBuild(api, pipeline.id, 'by-itself');
    expect((await api.post(`${J}/by-itself/builds/1`, 'member')).status).toBe(409);
    expect((await api.post(`${J}/by-itself/builds/9`, 'member')).status).toBe(409);
    expect((await api.post(`${J}/j/builds/9`, 'member')).status).toBe(404);
  });
});

test('[API-JBLD1] a build of a job is found by its name', async () => {
  const id = await createBuild(api, pipeline.id, 'j');
  expect(await (await api.get(`${J}/j/builds/1`, 'viewer')).json()).toMatchObject({ id, name: '1' });
  expect((await api.get(`${J}/j/builds/2`, 'viewer')).status).toBe(404);
});

test('[API-JBLD2] builds are listed newest first, a rerun beside its original, in pages', async () => {
  for (let i = 0; i < 4; i++) await finishedBuild(api, pipeline.id, 'j');
  const page = await api.get(`${J}/j/builds?limit=1&to=${await idOf('3')}`, 'viewer');
  const base = 'https://ci.example.com/api/v1/teams/team/pipelines/p/jobs/j/builds';
  expect(page.headers.get('Link')).toBe(
    `<${base}?to=${await idOf('2')}&limit=1>; rel="next", <${base}?from=${await idOf('4')}&limit=1>; rel="previous"`,
  );
  expect(await names(page)).toEqual(['3']);
  await api.post(`${J}/j/builds/2`, 'member');
  expect(await names(await api.get(`${J}/j/builds`, 'viewer'))).toEqual(['4', '3', '2.1', '2', '1']);
});

async function idOf(name: string): Promise<number> {
  return ((await (await api.get(`${J}/j/builds/${name}`, 'viewer')).json()) as { id: number }).id;
}

test('[API-JBLD3] only the team sees comments, unless the job is public', async () => {
  await api.put('/api/v1/teams/team/pipelines/p/expose', 'member');
  for (const job of ['j', 'public']) {
    const id = await createBuild(api, pipeline.id, job);
    await api.put(`/api/v1/builds/${id}/comment`, 'member', { comment: 'remark' });
  }
  const comments = async (job: string, as?: TestUser) => {
    const one = (await (await api.get(`${J}/${job}/builds/1`, as)).json()) as { id: number; comment?: string };
    const [listed] = (await (await api.get(`${J}/${job}/builds`, as)).json()) as { comment?: string }[];
    const byId = (await (await api.get(`/api/v1/builds/${one.id}`, as)).json()) as { comment?: string };
    const whole = (await (await api.get(`${J}/${job}`, as)).json()) as { next_build: { comment?: string } };
    return [one.comment, listed?.comment, byId.comment, whole.next_build.comment];
  };
  expect(await comments('j', 'viewer')).toEqual(Array(4).fill('remark'));
  expect(await comments('j')).toEqual(Array(4).fill(undefined));
  expect(await comments('j', 'stranger')).toEqual(Array(4).fill(undefined));
  expect(await comments('public')).toEqual(Array(4).fill('remark'));
});
