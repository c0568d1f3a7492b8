import { archivePipeline, createCheckBuild, findResource, finishBuild, type Pipeline } from '@seaplane/db';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { PLAN, PUBLIC_PLAN } from '../../testing/run-build.ts';
import { saveVersions } from '../../testing/save-versions.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

const YAML = `
resource_types: [{ name: t, type: base, privileged: true, source: { token: secret }, params: { a: 1 }, defaults: { b: 2 } }]
resources:
- { name: r, type: t, icon: git, source: { password: secret } }
- { name: pinned, type: base, version: { ref: x } }
jobs: [{ name: j, plan: [{ get: r }, { get: pinned }] }]
`;
const P = '/api/v1/teams/team/pipelines/p';

let api: TestApi;
let pipeline: Pipeline;
beforeEach(async () => {
  api = await createTestApi();
  pipeline = await setPipeline(api, 'p', YAML);
});
afterEach(() => api[Symbol.asyncDispose]());

const json = async (path: string, as?: TestUser) => (await api.get(path, as)).json();

test('[API-RES1] resources are sorted by name, with pins and nothing of their source', async () => {
  const all = await json(`${P}/resources`, 'viewer');
  const common = { pipeline_id: pipeline.id, pipeline_name: 'p', team_name: 'team' };
  expect(all).toEqual([
    { name: 'pinned', type: 'base', pinned_version: { ref: 'x' }, pinned_in_config: true, ...common },
    { name: 'r', type: 't', icon: 'git', ...common },
  ]);
  expect(await json(`${P}/resources/r`, 'viewer')).toEqual((all as object[])[1]);
  expect((await api.get(`${P}/resources/none`, 'viewer')).status).toBe(404);
  const everywhere = await json('/api/v1/resources', 'viewer');
  expect(everywhere).toEqual(expect.arrayContaining(all as object[]));
  expect(everywhere).toHaveLength(2);
  expect(await json('/api/v1/resources', 'admin')).toEqual(everywhere);
  expect(await json('/api/v1/resources', 'stranger')).toEqual([]);
  expect(await json('/api/v1/resources')).toEqual([]);
});

test('[API-RES2] a resource shows the build of its last check', async () => {
  const resource = await findResource(api.pool, pipeline.id, 'r');
  await saveVersions(api, pipeline.id, 'r', [{ ref: 'a' }]);
  const check = { plan: PLAN, publicPlan: PUBLIC_PLAN, manuallyTriggered: true };
  const build = await createCheckBuild(api.pool, { resourceId: resource?.id ?? 0 }, check);
  await finishBuild(api.pool, build?.id ?? 0, 'failed');
  await api.pool.query('UPDATE resource_scope SET last_check_build_id = $1, last_check_ended_at = now()', [build?.id]);
  expect(await json(`${P}/resources/r`, 'viewer')).toMatchObject({
    last_checked: expect.any(Number),
    build: { id: build?.id, name: 'check', status: 'failed' },
  });
  expect(await json(`/api/v1/builds/${build?.id}`, 'viewer')).toMatchObject({ name: 'check', resource_name: 'r' });
});

test('[API-RES3] the team sees types as written, others without their secrets', async () => {
  const shown = { name: 't', type: 'base', privileged: true };
  const secret = { source: { token: 'secret' }, params: { a: 1 }, defaults: { b: 2 } };
  expect(await json(`${P}/resource-types`, 'viewer')).toEqual([{ ...shown, ...secret }]);
  await api.put(`${P}/expose`, 'member');
  expect(await json(`${P}/resource-types`)).toEqual([shown]);
  expect(await json(`${P}/resource-types`, 'stranger')).toEqual([shown]);
});

describe('pins', () => {
  const R = `${P}/resources/r`;
  let ids: number[];
  beforeEach(async () => {
    ids = await saveVersions(api, pipeline.id, 'r', [{ ref: 'a' }, { ref: 'b' }]);
  });

  test('[API-PIN1] a version is pinned, commented and unpinned', async () => {
    expect((await api.put(`${R}/pin_comment`, 'member', { pin_comment: 'why' })).status).toBe(404);
    expect((await api.put(`${R}/versions/${ids[0]}/pin`, 'pipeline-operator')).status).toBe(200);
    expect((await api.put(`${R}/pin_comment`, 'pipeline-operator', { pin_comment: 'why' })).status).toBe(200);
    const pinned = { pinned_version: { ref: 'a' }, pin_comment: 'why' };
    expect(await json(R, 'viewer')).toMatchObject(pinned);
    expect(await json(R, 'viewer')).not.toHaveProperty('pinned_in_config');
    expect((await api.put(`${R}/unpin`, 'pipeline-operator')).status).toBe(200);
    expect(await json(R, 'viewer')).not.toHaveProperty('pinned_version');
    expect((await api.put(`${R}/unpin`, 'pipeline-operator')).status).toBe(200);
  });

  test('[API-PIN2] a version that does not exist, or a pin of the configuration, is refused', async () => {
    expect((await api.put(`${R}/versions/99999/pin`, 'member')).status).toBe(404);
    expect((await api.put(`${R}/versions/a/pin`, 'member')).status).toBe(400);
    expect((await api.put(`${P}/resources/pinned/versions/${ids[0]}/pin`, 'member')).status).toBe(409);
    const unpinned = await api.put(`${P}/resources/pinned/unpin`, 'member');
    expect(unpinned.status).toBe(409);
    expect(await unpinned.text()).toContain('configuration');
  });

  test('[API-PIN3] nothing is pinned in an archived pipeline', async () => {
    await archivePipeline(api.pool, pipeline.id, 'test');
    for (const path of [`versions/${ids[0]}/pin`, `versions/${ids[0]}/enable`, `versions/${ids[0]}/disable`, 'unpin']) {
      expect((await api.put(`${R}/${path}`, 'member')).status).toBe(409);
    }
    expect((await api.put(`${R}/pin_comment`, 'member', { pin_comment: '' })).status).toBe(409);
  });
});

test('[API-RES5] the caches of a resource are cleared, all or those of a version', async () => {
  const own = await setPipeline(
    api,
    'cached',
    'resources: [{ name: r, type: t }]\njobs: [{ name: j, plan: [{ get: r }] }]',
  );
  await saveVersions(api, own.id, 'r', [{ v: '1' }]);
  for (const id of ['1', '2', '3']) {
    await api.pool.query("INSERT INTO artifact (id, worker_name) VALUES ($1, 'w')", [id]);
    await api.pool.query(
      `INSERT INTO resource_cache (id, artifact_id, version, parent, source_digest)
       SELECT $1, $1, jsonb_build_object('v', $1::text), 'base:test', id::text FROM resource WHERE pipeline_id = $2`,
      [id, own.id],
    );
  }
  const clear = async (resource: string, body?: unknown) => {
    const path = `/api/v1/teams/team/pipelines/cached/resources/${resource}/cache`;
    const answer = await api.request('DELETE', path, { as: 'pipeline-operator', ...(body ? { body } : {}) });
    return answer.ok ? answer.json() : answer.status;
  };
  expect(await clear('r', { version: { v: '1' } })).toEqual({ caches_removed: 1 });
  expect(await clear('r', { version: null })).toEqual({ caches_removed: 2 });
  expect(await clear('r')).toEqual({ caches_removed: 0 });
  expect(await clear('none')).toBe(404);
  expect(await clear('r', { version: 'x' })).toBe(400);
});

test('[API-RES4] administrators clear a history, and list who shares it', async () => {
  await saveVersions(api, pipeline.id, 'r', [{ ref: 'a' }, { ref: 'b' }]);
  const R = `${P}/resources/r`;
  expect(await json(`${R}/shared`, 'admin')).toEqual({
    resources: [{ name: 'r', pipeline_name: 'p', team_name: 'team' }],
    resource_types: [],
  });
  const clear = (path: string, as: TestUser) => api.request('DELETE', `${P}/${path}/versions`, { as });
  expect((await clear('resources/r', 'owner')).status).toBe(403);
  expect(await (await clear('resources/r', 'admin')).json()).toEqual({ versions_removed: 2 });
  expect(await (await clear('resource-types/t', 'admin')).json()).toEqual({ versions_removed: 0 });
  expect((await clear('resource-types/none', 'admin')).status).toBe(404);
  expect(await json(`${P}/resource-types/t/shared`, 'admin')).toEqual({ resources: [], resource_types: [] });
});
