import type { Pipeline } from '@seaplane/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startedBuild } from '../../testing/run-build.ts';
import { saveVersions } from '../../testing/save-versions.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

const YAML = `
resources: [{ name: r, type: t }, { name: shown, type: t, public: true }]
jobs: [{ name: j, plan: [{ get: r }, { get: shown }] }]
`;
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
  expect((await api.put(`${P}/r/versions/${ids[0]}/disable`, 'pipeline-operator')).status).toBe(200);
  expect(await enabled()).toBe(false);
  expect((await api.put(`${P}/r/versions/${ids[0]}/enable`, 'pipeline-operator')).status).toBe(200);
  expect(await enabled()).toBe(true);
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

test('[API-VER8] causality is not enabled', async () => {
  expect((await api.get(`${P}/r/versions/${ids[0]}/downstream`, 'viewer')).status).toBe(403);
});
