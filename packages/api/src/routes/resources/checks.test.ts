import { ConfigError } from '@seaplane/config';
import { archivePipeline, type Checkable, createCheckBuild, type Pipeline } from '@seaplane/db';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RequestedCheck } from '../../context.ts';
import { PLAN, PUBLIC_PLAN } from '../../testing/run-build.ts';
import { setPipeline } from '../../testing/set-pipeline.ts';
import { createTestApi, type TestApi } from '../../testing/test-api.ts';

const YAML = `
resource_types: [{ name: t, type: base }]
prototypes: [{ name: proto, type: base }]
resources:
- { name: r, type: t, webhook_token: ((token)) }
- { name: quiet, type: t }
jobs: [{ name: j, plan: [{ get: r }, { get: quiet }] }]
`;
const P = '/api/v1/teams/team/pipelines/p';

let api: TestApi;
let pipeline: Pipeline;
let asked: { of: Checkable; request: RequestedCheck }[];
let failure: Error | undefined;
beforeEach(async () => {
  asked = [];
  failure = undefined;
  api = await createTestApi({
    checks: {
      async start(of, request) {
        asked.push({ of, request });
        if (failure) throw failure;
        const check = { plan: PLAN, publicPlan: PUBLIC_PLAN, manuallyTriggered: true };
        const build = await createCheckBuild(api.pool, of, check);
        if (!build) throw new Error('no build was made');
        return build;
      },
    },
    variables: {
      interpolate: async (_, text) => text.replace('((token))', 'secret'),
      findProblems: async () => [],
    },
  });
  pipeline = await setPipeline(api, 'p', YAML);
});
afterEach(() => api[Symbol.asyncDispose]());

test('[API-CHK1] a check that a user asks for is a started build', async () => {
  const body = { from: { version: 'v1' }, shallow: true };
  const response = await api.post(`${P}/resources/r/check`, 'pipeline-operator', body);
  expect(response.status).toBe(201);
  expect(await response.json()).toMatchObject({ name: 'check', status: 'started', resource_name: 'r' });
  expect(asked).toEqual([
    {
      of: { resourceId: expect.any(Number) },
      request: { from: { version: 'v1' }, shallow: true, createdBy: 'pipeline-operator' },
    },
  ]);
});

test('[API-CHK2] resource types and prototypes can be checked; fly sends null for no version', async () => {
  const body = { from: null, shallow: false };
  expect((await api.post(`${P}/resource-types/t/check`, 'member', body)).status).toBe(201);
  expect((await api.post(`${P}/prototypes/proto/check`, 'member', body)).status).toBe(201);
  expect(asked.map(({ of }) => Object.keys(of)[0])).toEqual(['resourceTypeId', 'prototypeId']);
  expect(asked[0]?.request).toEqual({ shallow: false, createdBy: 'member' });
});

test('[API-CHK3] a resource that does not exist, or of an archived pipeline, is not checked', async () => {
  for (const path of ['resources/none', 'resource-types/none', 'prototypes/none']) {
    expect((await api.post(`${P}/${path}/check`, 'member', {})).status).toBe(404);
  }
  expect((await api.post(`${P}/resources/r/check`, 'member', { from: 'v1' })).status).toBe(400);
  await archivePipeline(api.pool, pipeline.id, 'test');
  expect((await api.post(`${P}/resources/r/check`, 'member', {})).status).toBe(409);
  expect(asked).toEqual([]);
});

test('[API-CHK4] an error in the configuration is shown, any other is not', async () => {
  failure = new ConfigError('unknown-resource', 'unknown resource type: x');
  const mistaken = await api.post(`${P}/resources/r/check`, 'member', {});
  expect(mistaken.status).toBe(500);
  expect(await mistaken.text()).toBe('unknown resource type: x');
  failure = new Error('a secret of ours');
  const failed = await api.post(`${P}/resources/r/check`, 'member', {});
  expect(failed.status).toBe(500);
  expect(await failed.text()).not.toContain('secret');
});

describe('webhooks', () => {
  const hook = (resource: string, query: string) => api.post(`${P}/resources/${resource}/check/webhook${query}`);

  test('[API-HOOK1] a sender that has the token can start a check', async () => {
    const response = await hook('r', '?webhook_token=secret');
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ name: 'check' });
    expect(asked[0]?.request).toEqual({ shallow: true });
  });

  test.each([
    ['a request without a token', 'r', '', 400],
    ['a wrong token', 'r', '?webhook_token=wrong', 401],
    ['the token before its variable is interpolated', 'r', '?webhook_token=((token))', 401],
    ['a token for a resource that has none', 'quiet', '?webhook_token=undefined', 401],
    ['a resource that does not exist', 'none', '?webhook_token=secret', 404],
  ])('[API-HOOK2] refuses %s', async (_, resource, query, status) => {
    expect((await hook(resource, query)).status).toBe(status);
    expect(asked).toEqual([]);
  });
});
