import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ApiContext } from '../../context.ts';
import { createTestApi, type TestApi } from '../../testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await createTestApi();
});
afterEach(() => api[Symbol.asyncDispose]());

const PATH = '/api/v1/teams/team/pipelines/p/config';
const YAML = 'jobs: [{ name: j, plan: [] }]';

async function save(body: string, { version = '', type = 'application/x-yaml', path = PATH } = {}) {
  const headers = { 'Content-Type': type, 'X-Concourse-Config-Version': version };
  const response = await api.request('PUT', path, { as: 'member', body, headers });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

async function read(path = PATH) {
  const response = await api.get(path, 'viewer');
  const version = response.headers.get('X-Concourse-Config-Version') ?? '';
  return { status: response.status, version, text: await response.text() };
}

describe('PUT …/config', () => {
  test('[API-CONF1] a new pipeline is created from YAML, and is paused', async () => {
    expect(await save(YAML)).toEqual({ status: 201, type: 'application/json', text: '{}' });
    const pipeline = await (await api.get('/api/v1/teams/team/pipelines/p', 'viewer')).json();
    expect(pipeline).toMatchObject({ name: 'p', paused: true, public: false, archived: false, team_name: 'team' });
  });

  test('[API-CONF1] a pipeline is changed by a request that names its version', async () => {
    await save(YAML);
    const { version } = await read();
    expect(await save('jobs: [{ name: k, plan: [] }]', { version })).toMatchObject({ status: 200, text: '{}' });
    expect(JSON.parse((await read()).text)).toEqual({ config: { jobs: [{ name: 'k', plan: [] }] } });
  });

  test.each([
    ['an old version', (version: string) => version],
    ['no version', () => ''],
  ])('[API-CONF2] a request with %s does not undo another change', async (_, given) => {
    await save(YAML);
    const { version } = await read();
    await save('jobs: [{ name: k, plan: [] }]', { version });
    expect(await save(YAML, { version: given(version) })).toMatchObject({
      status: 500,
      text: 'failed to save config: comparison with existing config failed during save',
    });
  });

  test('[API-CONF2] a version for a pipeline that does not exist is refused', async () => {
    expect((await save(YAML, { version: '7' })).status).toBe(500);
    expect(await save(YAML, { version: 'seven' })).toMatchObject({
      status: 400,
      text: '{"errors":["config version is malformed: it is not a number"]}',
    });
  });

  test('[API-CONF3] JSON is read as well, other types are refused', async () => {
    expect((await save('{"jobs":[{"name":"j","plan":[]}]}', { type: 'application/json' })).status).toBe(201);
    expect((await save(YAML, { type: 'text/yaml' })).status).toBe(415);
    expect((await save(YAML, { type: 'constructor' })).status).toBe(415);
  });

  test('[API-CONF4] errors are listed in the one form that fly reads', async () => {
    const { status, type, text } = await save('jobs: [{ name: j, plan: [{ get: nothing }] }]');
    expect({ status, type }).toEqual({ status: 400, type: 'application/json' });
    const { errors } = JSON.parse(text) as { errors: string[] };
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain("jobs.j.plan.do[0].get(nothing): unknown resource 'nothing'");
    expect(JSON.parse((await save('jobs: [')).text)).toEqual({
      errors: [expect.stringMatching(/^malformed config: /)],
    });
  });

  test('[API-FAIL4] a configuration that is too large is refused before it is parsed', async () => {
    const body = `#${'x'.repeat(4 * 1024 * 1024)}`;
    const headers = { 'Content-Type': 'application/x-yaml', 'Content-Length': String(body.length) };
    const response = await api.request('PUT', PATH, { as: 'member', body, headers });
    expect(response.status).toBe(413);
    expect(await response.text()).toBe('the body is larger than the limit of 4194304 bytes: it has 4194305 bytes');
  });

  test('[API-CONF5] a configuration with a warning is saved', async () => {
    const path = '/api/v1/teams/team/pipelines/Pipeline/config';
    const { status, text } = await save('jobs: [{ name: J, plan: [] }]', { path });
    expect(status).toBe(201);
    const messages = (JSON.parse(text) as { warnings: { message: string }[] }).warnings.map(({ message }) => message);
    expect(messages).toEqual([
      expect.stringContaining("jobs.J: 'J' is not a valid identifier"),
      expect.stringContaining("pipeline: 'Pipeline' is not a valid identifier"),
    ]);
  });

  test('[API-CONF6] instances of a pipeline are pipelines of their own', async () => {
    const branch = (name: string) => `${PATH}?vars.branch=${encodeURIComponent(JSON.stringify(name))}`;
    expect((await save(YAML, { path: branch('main') })).status).toBe(201);
    expect((await save(YAML, { path: branch('next') })).status).toBe(201);
    expect((await save(YAML, { path: branch('main') })).status).toBe(500);
    expect((await read(branch('next'))).status).toBe(200);
    expect((await read()).status).toBe(404);
    expect(await save(YAML, { path: `${PATH}?vars.branch=main` })).toMatchObject({
      status: 400,
      text: expect.stringContaining('instance vars are malformed'),
    });
  });

  test('[API-CONF7] two resources that swap names are refused with the reason', async () => {
    await save('jobs: [{ name: a, plan: [] }, { name: b, plan: [] }]');
    const { version } = await read();
    const swapped = 'jobs: [{ name: a, old_name: b, plan: [] }, { name: b, old_name: a, plan: [] }]';
    const { status, text } = await save(swapped, { version });
    expect(status).toBe(500);
    expect(text).toMatch(/^failed to save config: swapping names is not supported/);
  });

  test('[API-CONF8] --check-creds names what is missing, and saves nothing then', async () => {
    const asked: unknown[] = [];
    let problems: string[] = ['undefined vars: a, b', 'undefined vars: vault:c'];
    const findProblems: ApiContext['variables']['findProblems'] = async (pipeline, values) => {
      asked.push(pipeline, ...values);
      return problems;
    };
    await using checked = await createTestApi({ variables: { ...api.context.variables, findProblems } });
    const yaml = `
      var_sources: [{ name: vault, type: dummy, config: { vars: {} } }]
      resources: [{ name: r, type: t, source: { key: ((a)) } }]
      jobs: [{ name: j, plan: [{ get: r }] }]`;
    const headers = { 'Content-Type': 'application/x-yaml' };
    const send = () => checked.request('PUT', `${PATH}?vars.x=1&check_creds=`, { as: 'member', body: yaml, headers });
    const refused = await send();
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({
      errors: [
        'credential validation failed\n\n2 errors occurred:\n\t* undefined vars: a, b\n\t* undefined vars: vault:c\n\n',
      ],
    });
    expect(asked).toEqual([
      {
        teamName: 'team',
        ref: { name: 'p', instanceVars: { x: 1 } },
        sources: [{ name: 'vault', type: 'dummy', config: { vars: {} } }],
      },
      { key: '((a))' },
    ]);
    expect((await checked.get(`${PATH}?vars.x=1`, 'member')).status).toBe(404);
    problems = [];
    expect((await send()).status).toBe(201);
  });
});

describe('GET …/config', () => {
  test('[API-CONF9] answers with the saved configuration, number for number', async () => {
    const source = '{ big: 12345678901234567890, b: [1.5, null] }';
    await save(`{ resources: [{ name: r, type: t, source: ${source} }], jobs: [{ name: j, plan: [{ get: r }] }] }`);
    const { text, version } = await read();
    expect(text).toContain('"source":{"big":12345678901234567890,"b":[1.5,null]}');
    expect(Number(version)).toBeGreaterThan(0);
  });

  test('[API-CONF10] answers 404 for an archived pipeline; saving unarchives it, paused', async () => {
    await save(YAML);
    expect((await api.put('/api/v1/teams/team/pipelines/p/archive', 'member')).status).toBe(200);
    expect((await read()).status).toBe(404);
    expect((await save(YAML)).status).toBe(200);
    const pipeline = await (await api.get('/api/v1/teams/team/pipelines/p', 'viewer')).json();
    expect(pipeline).toMatchObject({ archived: false, paused: true });
  });
});
