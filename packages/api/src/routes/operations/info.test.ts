import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await createTestApi();
});
afterAll(() => api[Symbol.asyncDispose]());

test('[API-INFO1] everybody may read the versions that fly compares', async () => {
  const response = await api.get('/api/v1/info');
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({
    version: '8.2.5',
    worker_version: '2.5',
    feature_flags: expect.objectContaining({ across_step: true, pipeline_instances: true }),
    external_url: 'https://ci.example.com',
    cluster_name: 'test',
  });
});

test('[API-INFO2] every answer of the API carries the version', async () => {
  for (const path of ['/api/v1/info', '/api/v1/user', '/api/v1/nothing']) {
    expect((await api.get(path)).headers.get('X-Concourse-Version')).toBe('8.2.5');
  }
});

test('[API-INFO5] the operator’s version is in the information and in every header', async () => {
  await using older = await createTestApi({ concourseVersion: '7.14.2' });
  const response = await older.get('/api/v1/info');
  expect(await response.json()).toMatchObject({ version: '7.14.2' });
  expect(response.headers.get('X-Concourse-Version')).toBe('7.14.2');
});

test('[API-INFO3] a user can read the user’s own claims', async () => {
  const response = await api.get('/api/v1/user', 'admin');
  expect(await response.json()).toEqual({
    sub: 'CgVhZG1pbhIFbG9jYWw',
    name: 'admin',
    user_id: 'admin',
    user_name: '',
    email: 'admin',
    is_admin: true,
    is_system: false,
    teams: { main: ['owner'] },
    connector: 'local',
    display_user_id: 'admin',
  });
  expect((await api.get('/api/v1/user')).status).toBe(401);
});

test('[API-ROLE5] a user’s teams are those in which the user has a role', async () => {
  const teamsOf = async (user: TestUser) =>
    ((await (await api.get('/api/v1/user', user)).json()) as { teams: object }).teams;
  expect(await teamsOf('member')).toEqual({ team: ['member'] });
  expect(await teamsOf('stranger')).toEqual({ other: ['owner'] });
});

test('[API-INFO4] a 404 has the form that fly prints', async () => {
  const response = await api.get('/api/v1/nothing');
  expect(response.status).toBe(404);
  expect(await response.json()).toEqual({
    errors: [{ title: 'Not Found', detail: 'There is no GET /api/v1/nothing.', status: '404' }],
  });
});

test.each([['/api/v1/builds/one', 400, "'one' is not the number of a build"]])(
  '[API-INFO4] any other refusal, such as of %s, is plain text',
  async (path, status, words) => {
    const response = await api.get(path, 'admin');
    expect({ status: response.status, text: await response.text() }).toEqual({ status, text: words });
  },
);

test('[API-INFO6] administrators read and set the level of the log, and see the credential manager', async () => {
  const levels: string[] = [];
  await using own = await createTestApi({ logLevel: { get: () => 'info', set: (to) => void levels.push(to) } });
  expect(await (await own.get('/api/v1/log-level', 'admin')).text()).toBe('info');
  expect((await own.request('PUT', '/api/v1/log-level', { as: 'admin', body: 'debug' })).status).toBe(200);
  expect((await own.request('PUT', '/api/v1/log-level', { as: 'admin', body: 'loud' })).status).toBe(400);
  expect(levels).toEqual(['debug']);
  expect(await (await own.get('/api/v1/info/creds', 'admin')).json()).toEqual({});
  const kubernetes = { in_cluster_config: false, config_path: '/srv/kube', namespace_config: 'concourse-' };
  await using other = await createTestApi({ credentialManagers: { kubernetes } });
  expect(await (await other.get('/api/v1/info/creds', 'admin')).json()).toEqual({ kubernetes });
});

test('[API-INFO7] longer JSON is sent gzip-encoded to those who accept it', async () => {
  await setPipeline(api, 'long', `jobs: [${Array.from({ length: 20 }, (_, n) => `{ name: j${n}, plan: [] }`).join()}]`);
  const path = '/api/v1/teams/team/pipelines/long/jobs';
  const read = async (url: string, encoding?: string) =>
    api.request('GET', url, { as: 'viewer', headers: encoding === undefined ? {} : { 'Accept-Encoding': encoding } });
  const plain = await read(path);
  expect(plain.headers.get('Content-Encoding')).toBeNull();
  expect((await read(path, 'br, gzip;q=0')).headers.get('Content-Encoding')).toBeNull();
  const packed = await read(path, 'deflate, gzip;q=0.5');
  expect(packed.headers.get('Content-Encoding')).toBe('gzip');
  expect(packed.headers.get('Vary')).toContain('Accept-Encoding');
  expect(packed.headers.get('ETag')).toBe(plain.headers.get('ETag'));
  expect(gunzipSync(await packed.arrayBuffer()).toString()).toBe(await plain.text());
  expect((await read('/api/v1/info', 'gzip')).headers.get('Content-Encoding')).toBeNull();
});
