import type { Pipeline } from '@seaplane/db';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CausalityAnswer } from '../../answers/causality.ts';
import { startedBuild } from '../../testing/run-build.ts';
import { saveVersions } from '../../testing/save-versions.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

const YAML = `
resources: [{ name: r, type: t }, { name: shown, type: t, public: true }]
jobs: [{ name: j, plan: [{ get: r }, { get: shown }] }]
`;
const N = expect.any(Number);
const P = '/api/v1/teams/team/pipelines/p/resources';

let api: TestApi;
let pipeline: Pipeline;
let ids: number[];
beforeAll(async () => {
  api = await createTestApi();
  pipeline = await setPipeline(api, 'p', YAML);
  ids = await saveVersions(api, pipeline.id, 'r', [
    { ref: 'a', branch: 'main' },
    { ref: 'b:c', branch: 'main' },
    { ref: 'd', branch: 'next' },
  ]);
  await saveVersions(api, pipeline.id, 'shown', [{ ref: 'x' }]);
  await api.put('/api/v1/teams/team/pipelines/p/expose', 'member');
});
afterAll(() => api[Symbol.asyncDispose]());

const json = async (path: string, as?: TestUser) => (await api.get(path, as)).json();
const refs = async (query: string) =>
  ((await json(`${P}/r/versions${query}`, 'viewer')) as { version: { ref: string } }[]).map(
    ({ version }) => version.ref,
  );

test('[API-VER1] versions are listed newest first', async () => {
  expect(await json(`${P}/r/versions`, 'viewer')).toEqual(
    [
      { id: ids[2], version: { ref: 'd', branch: 'next' } },
      { id: ids[1], version: { ref: 'b:c', branch: 'main' } },
      { id: ids[0], version: { ref: 'a', branch: 'main' } },
    ].map((each) => ({ ...each, enabled: true, metadata: [{ name: 'by', value: 'somebody' }] })),
  );
  expect((await api.get(`${P}/none/versions`, 'viewer')).status).toBe(404);
});

test('[API-VER2] a version must match every filter', async () => {
  expect(await refs('?filter=branch:main')).toEqual(['b:c', 'a']);
  expect(await refs('?filter=branch:main&filter=ref:b:c')).toEqual(['b:c']);
  expect(await refs('?filter=ref:nothing')).toEqual([]);
});

test('[API-VER3] versions come in pages, with links in both directions', async () => {
  const page = await api.get(`${P}/r/versions?limit=1&to=${ids[1]}`, 'viewer');
  const base = `https://ci.example.com${P}/r/versions`;
  expect(page.headers.get('Link')).toBe(
    `<${base}?to=${ids[0]}&limit=1>; rel="next", <${base}?from=${ids[2]}&limit=1>; rel="previous"`,
  );
  expect(await refs(`?limit=1&to=${ids[1]}`)).toEqual(['b:c']);
  expect(await refs(`?from=${ids[1]}`)).toEqual(['d', 'b:c']);
});

test('[API-VER4] only the team sees metadata, unless the resource is public', async () => {
  for (const as of [undefined, 'stranger'] as const) {
    expect(await json(`${P}/r/versions?limit=1`, as)).toEqual([
      { id: ids[2], version: { ref: 'd', branch: 'next' }, enabled: true },
    ]);
    expect(await json(`${P}/r/versions/${ids[0]}`, as)).not.toHaveProperty('metadata');
    expect(await json(`${P}/shown/versions`, as)).toMatchObject([{ metadata: [{ name: 'by' }] }]);
  }
});

test('[API-VER5] a version is found by its number', async () => {
  expect(await json(`${P}/r/versions/${ids[0]}`, 'viewer')).toMatchObject({ id: ids[0], version: { ref: 'a' } });
  expect((await api.get(`${P}/shown/versions/${ids[0]}`, 'viewer')).status).toBe(404);
  expect((await api.get(`${P}/r/versions/x`, 'viewer')).status).toBe(400);
});

test('[API-VER6] a version is disabled and enabled', async () => {
  const enabled = async () => ((await json(`${P}/r/versions/${ids[0]}`, 'viewer')) as { enabled: boolean }).enabled;
  for (const [change, isEnabled] of [
    ['disable', false],
    ['disable', false],
    ['enable', true],
    ['enable', true],
  ] as const) {
    expect((await api.put(`${P}/r/versions/${ids[0]}/${change}`, 'pipeline-operator')).status).toBe(200);
    expect(await enabled()).toBe(isEnabled);
  }
  expect((await api.put(`${P}/shown/versions/${ids[0]}/disable`, 'pipeline-operator')).status).toBe(404);
});

test('[API-VER7] the builds that got or put a version are listed', async () => {
  const build = await startedBuild(api, pipeline.id, 'j');
  await api.pool.query(
    `INSERT INTO build_input (build_id, name, resource_id, version, version_digest, first_occurrence, job_id)
     SELECT b.id, 'r', r.id, v.version, v.digest, true, b.job_id FROM build b, resource r, resource_version v
     WHERE b.id = $1 AND r.name = 'r' AND v.id = $2`,
    [build, ids[0]],
  );
  expect(await json(`${P}/r/versions/${ids[0]}/input_to`, 'viewer')).toMatchObject([{ id: build, job_name: 'j' }]);
  expect(await json(`${P}/r/versions/${ids[1]}/input_to`, 'viewer')).toEqual([]);
  expect(await json(`${P}/r/versions/${ids[0]}/output_of`, 'viewer')).toEqual([]);
});

describe('causality', () => {
  const CHAIN = `
resources: [{ name: code, type: t }, { name: env, type: t }, { name: image, type: t }]
jobs:
- { name: build, plan: [{ get: code }, { put: image }] }
- { name: deploy, plan: [{ get: image }, { get: env }] }
- { name: other, plan: [{ get: env }] }
`;
  const V = '/api/v1/teams/team/pipelines/chain/resources';
  let versions: Record<string, number>;
  let builds: Record<string, number>;

  beforeAll(async () => {
    const chain = await setPipeline(api, 'chain', CHAIN);
    const one = async (name: string) => (await saveVersions(api, chain.id, name, [{ of: name }]))[0] ?? 0;
    versions = { code: await one('code'), env: await one('env'), image: await one('image') };
    builds = {};
    for (const job of ['build', 'deploy', 'other']) builds[job] = await startedBuild(api, chain.id, job);
    const use = (table: 'input' | 'output', job: string, name: string) =>
      api.pool.query(
        `INSERT INTO build_${table} (build_id, name, resource_id, version, version_digest
           ${table === 'input' ? ', first_occurrence, job_id' : ''})
         SELECT b.id, r.name, r.id, v.version, v.digest ${table === 'input' ? ', true, b.job_id' : ''}
         FROM build b, resource r JOIN resource_version v ON v.scope_id = r.scope_id
         WHERE b.id = $1 AND r.name = $2 AND r.pipeline_id = $3`,
        [builds[job], name, chain.id],
      );
    await use('input', 'build', 'code');
    await use('output', 'build', 'image');
    await use('input', 'build', 'image'); // the get after the put
    await use('input', 'deploy', 'image');
    await use('input', 'deploy', 'env');
    await use('input', 'other', 'env');
  });

  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

  test('[API-VER8] downstream has the builds that got a version, and those that got what these put', async () => {
    const answer = (await json(`${V}/code/versions/${versions['code']}/downstream`, 'viewer')) as CausalityAnswer;
    expect(names(answer.jobs)).toEqual(['build', 'deploy']);
    expect(names(answer.resources)).toEqual(['code', 'image']); // env is on no way from code
    expect(answer.builds).toEqual([
      { id: builds['build'], name: '1', job_id: N, status: 'started', resource_version_ids: [versions['image']] },
      { id: builds['deploy'], name: '1', job_id: N, status: 'started' },
    ]);
    expect(answer.resource_versions).toEqual([
      { id: versions['code'], resource_id: N, version: { of: 'code' }, build_ids: [builds['build']] },
      { id: versions['image'], resource_id: N, version: { of: 'image' }, build_ids: [builds['deploy']] },
    ]);
  });

  test('[API-VER8] upstream has the builds that put a version, and the versions that these got', async () => {
    const answer = (await json(`${V}/image/versions/${versions['image']}/upstream`, 'viewer')) as CausalityAnswer;
    expect(names(answer.jobs)).toEqual(['build']);
    expect(answer.builds).toEqual([
      { id: builds['build'], name: '1', job_id: N, status: 'started', resource_version_ids: [versions['code']] },
    ]);
    expect(names(answer.resources)).toEqual(['code', 'image']);
    expect(await json(`${V}/code/versions/${versions['code']}/upstream`, 'viewer')).toEqual({
      jobs: [],
      builds: [],
      resources: [],
      resource_versions: [],
    });
    expect((await api.get(`${V}/code/versions/${versions['env']}/upstream`, 'viewer')).status).toBe(404);
  });

  test('[API-VER9] a graph of more than 5,000 builds is refused', async () => {
    await api.pool.query(
      `WITH many AS (INSERT INTO build (name, team_id, pipeline_id, job_id, status)
         SELECT 'many-' || n, b.team_id, b.pipeline_id, b.job_id, 'succeeded'
         FROM build b, generate_series(1, 5000) n WHERE b.id = $1 RETURNING id, job_id)
       INSERT INTO build_input (build_id, name, resource_id, version, version_digest, first_occurrence, job_id)
       SELECT many.id, 'env', i.resource_id, i.version, i.version_digest, false, many.job_id
       FROM many, build_input i WHERE i.build_id = $1`,
      [builds['other']],
    );
    const answer = await api.get(`${V}/env/versions/${versions['env']}/downstream`, 'viewer');
    expect(answer.status).toBe(422);
    expect(await answer.text()).toBe('this version has too many builds downstream');
  });
});
