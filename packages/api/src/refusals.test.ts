import { archivePipeline, finishBuild, reportWorker } from '@seaplane/db';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeSandbox } from './testing/make-sandbox.ts';
import { createBuild, finishedBuild } from './testing/run-build.ts';
import { saveVersions } from './testing/save-versions.ts';
import { setPipeline } from './testing/set-pipeline.ts';
import { createTestApi, type RequestOptions, type TestApi } from './testing/test-api.ts';

const YAML = `
resource_types: [{ name: t, type: base }]
resources:
- { name: r, type: t, webhook_token: secret }
- { name: pinned, type: t, version: { ref: a } }
jobs:
- { name: j, plan: [{ get: r }, { get: pinned }] }
- { name: fixed, disable_manual_trigger: true, disable_reruns: true, plan: [] }
`;

const PLAIN = 'jobs: [{ name: j, plan: [] }]';

let api: TestApi;
let version: number;
beforeAll(async () => {
  api = await createTestApi();
  const { pool } = api;
  const pipeline = await setPipeline(api, 'p', YAML);
  await archivePipeline(pool, (await setPipeline(api, 'old', YAML)).id, 'somebody');
  await setPipeline(api, 'taken', PLAIN);
  version = (await saveVersions(api, pipeline.id, 'r', [{ ref: 'a' }]))[0] ?? 0;
  await saveVersions(api, pipeline.id, 'pinned', [{ ref: 'a' }]);
  const build = await createBuild(api, pipeline.id, 'j');
  await finishBuild(pool, build, 'aborted');
  await finishedBuild(api, pipeline.id, 'fixed');
  await makeSandbox(api, { handle: 'own', buildId: build });
  await makeSandbox(api, { handle: 'shared', type: 'check' });
  await reportWorker(pool, {
    name: 'busy',
    platform: 'linux',
    tags: [],
    version: '2.5',
    baseTypes: [],
    problems: [],
    usable: true,
    entry: '',
    ttlMs: 600_000,
  });
});
afterAll(() => api[Symbol.asyncDispose]());

const T = '/api/v1/teams/team';
const P = `${T}/pipelines/p`;
const yaml = (from: string) => ({ 'Content-Type': 'application/x-yaml', 'X-Concourse-Config-Version': from });
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const fly = { ...form, Authorization: `Basic ${btoa('fly:Zmx5')}` };

const CASES: readonly (readonly [method: string, path: string, options: RequestOptions])[] = [
  ['GET', '/api/v1/nothing', {}],
  ['GET', '/api/v1/info', { headers: { Authorization: 'Bearer unknown' } }],
  ['GET', '/api/v1/user', {}],
  ['PUT', '/api/v1/wall', { as: 'admin', body: {} }],
  ['PUT', '/api/v1/wall', { as: 'admin', body: 'x' }],
  ['PUT', '/api/v1/wall', { as: 'admin', body: { message: 1 } }],
  ['PUT', '/api/v1/wall', { as: 'viewer', body: {} }],
  ['GET', '/api/v1/users?since=x', { as: 'admin' }],
  ['PUT', '/api/v1/components/none/pause', { as: 'admin' }],
  ['POST', '/api/v1/workers', { as: 'viewer' }],
  ['PUT', '/api/v1/workers/none/land', { as: 'admin' }],
  ['PUT', '/api/v1/workers/busy/land', { as: 'viewer' }],
  ['PUT', '/api/v1/workers/busy/prune', { as: 'admin' }],
  ['GET', '/api/v1/cli', {}],
  ['GET', '/api/v1/teams/none', { as: 'admin' }],
  ['GET', '/api/v1/teams/none', { as: 'viewer' }],
  ['GET', '/api/v1/teams/none/pipelines', {}],
  ['GET', '/api/v1/teams/none/cc.xml', {}],
  ['PUT', '/api/v1/teams/new', { as: 'viewer', body: {} }],
  ['PUT', '/api/v1/teams/new', { as: 'admin', body: { auth: {} } }],
  ['PUT', '/api/v1/teams/new', { as: 'admin', body: { auth: { owner: {} } } }],
  ['PUT', `${T}/rename`, { as: 'owner', body: { name: 'other' } }],
  ['PUT', `${T}/rename`, { as: 'owner', body: { name: '' } }],
  ['DELETE', '/api/v1/teams/none', { as: 'admin' }],
  ['DELETE', '/api/v1/teams/main', { as: 'admin' }],
  ['GET', `${T}/artifacts/9`, { as: 'member' }],
  ['POST', `${T}/artifacts`, { as: 'member' }],
  ['GET', `${T}/containers/none`, { as: 'viewer' }],
  ['GET', `${T}/containers?type=x`, { as: 'viewer' }],
  ['GET', `${T}/containers?build_id=x`, { as: 'viewer' }],
  ['GET', `${T}/containers/none/hijack`, { as: 'member' }],
  ['GET', `${T}/containers/own/hijack`, { as: 'member' }],
  ['GET', `${T}/containers/shared/hijack`, { as: 'member' }],
  ['PUT', `${T}/pipelines/ordering`, { as: 'member', body: ['none'] }],
  ['PUT', `${P}/ordering`, { as: 'member', body: [{ a: 1 }] }],
  ['PUT', `${P}/ordering`, { as: 'member', body: ['a'] }],
  ['PUT', `${P}/rename`, { as: 'member', body: { name: '' } }],
  ['PUT', `${P}/rename`, { as: 'member', body: { name: 'taken' } }],
  ['PUT', `${T}/pipelines/none/rename`, { as: 'member', body: { name: 'new' } }],
  ['GET', `${T}/pipelines/none`, {}],
  ['GET', `${P}?vars.a=1`, {}],
  ['GET', `${P}?vars.a=x`, {}],
  ['GET', P, {}],
  ['GET', P, { as: 'stranger' }],
  ['PUT', `${T}/pipelines/old/pause`, { as: 'member' }],
  ['GET', `${T}/pipelines/old/config`, { as: 'member' }],
  ['PUT', `${P}/config`, { as: 'member', body: PLAIN, headers: yaml('x') }],
  ['PUT', `${P}/config`, { as: 'member', body: PLAIN, headers: yaml('999') }],
  ['PUT', `${P}/config`, { as: 'member', body: 'jobs: {}', headers: yaml('1') }],
  ['PUT', `${P}/config`, { as: 'member', body: PLAIN, headers: { 'Content-Type': 'text/plain' } }],
  ['GET', `${P}/versions-db`, { as: 'member' }],
  ['GET', `${P}/jobs/none`, { as: 'viewer' }],
  ['GET', `${P}/jobs/j/inputs`, { as: 'viewer' }],
  ['POST', `${P}/jobs/fixed/builds`, { as: 'member' }],
  ['GET', `${P}/jobs/j/builds/9`, { as: 'member' }],
  ['GET', `${P}/jobs/j/builds?from=2&to=1`, { as: 'member' }],
  ['POST', `${P}/jobs/j/builds/9`, { as: 'member' }],
  ['POST', `${P}/jobs/j/builds/1`, { as: 'member' }],
  ['POST', `${P}/jobs/fixed/builds/1`, { as: 'member' }],
  ['POST', `${P}/jobs/fixed/builds/9`, { as: 'member' }],
  ['GET', '/api/v1/builds/x', { as: 'admin' }],
  ['GET', '/api/v1/builds/9999', { as: 'admin' }],
  ['GET', '/api/v1/builds/1', {}],
  ['GET', '/api/v1/builds/1', { as: 'stranger' }],
  ['PUT', '/api/v1/builds/1/abort', {}],
  ['PUT', '/api/v1/builds/1/abort', { as: 'viewer' }],
  ['GET', '/api/v1/builds/1/plan', { as: 'viewer' }],
  ['GET', '/api/v1/builds/1/events', { as: 'viewer', headers: { 'Last-Event-ID': 'x' } }],
  ['POST', `${T}/builds`, { as: 'member', body: { id: 'a' } }],
  ['GET', `${P}/resources/none`, { as: 'viewer' }],
  ['PUT', `${P}/resources/pinned/unpin`, { as: 'member' }],
  ['PUT', `${P}/resources/r/pin_comment`, { as: 'member', body: { pin_comment: 'x' } }],
  ['GET', `${P}/resources/r/versions?from=2&to=1`, { as: 'viewer' }],
  ['GET', `${P}/resources/r/versions/x`, { as: 'viewer' }],
  ['GET', `${P}/resources/r/versions/9999`, { as: 'viewer' }],
  ['PUT', `${P}/resources/r/versions/x/enable`, { as: 'member' }],
  ['PUT', `${P}/resources/r/versions/9999/enable`, { as: 'member' }],
  ['PUT', `${P}/resources/r/versions/x/pin`, { as: 'member' }],
  ['PUT', `${P}/resources/r/versions/9999/pin`, { as: 'member' }],
  ['PUT', `${P}/resources/pinned/versions/VERSION/pin`, { as: 'member' }],
  ['GET', `${P}/resources/r/versions/9999/upstream`, { as: 'viewer' }],
  ['POST', `${P}/resources/r/check`, { as: 'member', body: { from: 1 } }],
  ['POST', `${P}/resource-types/none/check`, { as: 'member', body: {} }],
  ['POST', `${P}/prototypes/none/check`, { as: 'member', body: {} }],
  ['POST', `${P}/resources/r/check/webhook`, {}],
  ['POST', `${P}/resources/none/check/webhook?webhook_token=x`, {}],
  ['POST', `${P}/resources/r/check/webhook?webhook_token=x`, {}],
  ['POST', '/sky/issuer/token', { body: 'grant_type=x', headers: form }],
  ['POST', '/sky/issuer/token', { body: 'grant_type=password', headers: form }],
  ['POST', '/sky/issuer/token', { body: 'grant_type=password', headers: { Authorization: `Basic ${btoa('%:x')}` } }],
  ['POST', '/sky/issuer/token', { body: 'grant_type=password', headers: fly }],
  ['POST', '/sky/issuer/token', { body: 'grant_type=password&scope=openid+x', headers: fly }],
  ['POST', '/sky/issuer/token', { body: 'grant_type=password&scope=openid', headers: fly }],
  ['GET', '/sky/logout', {}],
];

test('[API-INFO4] every refusal has the status and the body that fly expects', async () => {
  const seen: string[] = [];
  for (const [method, path, options] of CASES) {
    const response = await api.request(method, path.replace('VERSION', String(version)), options);
    const type = response.headers.get('Content-Type') ?? '-';
    const upgrade = response.headers.has('Upgrade') ? ` (Upgrade: ${response.headers.get('Upgrade')})` : '';
    const who = options.as ?? 'nobody';
    seen.push(`${who}: ${method} ${path} -> ${response.status}${upgrade} ${type} ${await response.text()}`);
  }
  await expect(seen.join('\n')).toMatchFileSnapshot('refusals.txt');
});
