import { findWorker, reportWorker } from '@seaplane/db';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestApi, type TestApi, type TestUser } from '../../testing/test-api.ts';

let api: TestApi;
beforeEach(async () => {
  api = await createTestApi();
  for (const [name, team] of [['shared'], ['own', 'team'], ['theirs', 'other']] as [string, string?][]) {
    await reportWorker(api.pool, {
      name,
      platform: 'linux',
      tags: ['x'],
      ...(team !== undefined && { team }),
      version: '2.5',
      baseTypes: [{ type: 'mock', image: 'mock', version: '1', privileged: false, unique_version_history: false }],
      problems: name === 'own' ? ['may not list pods', 'may not create pods'] : [],
      ...(name === 'shared' && { way: 'direct' }),
      usable: true,
      entry: '',
      ttlMs: 60_000,
    });
  }
});
afterEach(() => api[Symbol.asyncDispose]());

const names = async (as: TestUser) =>
  ((await (await api.get('/api/v1/workers', as)).json()) as { name: string }[]).map(({ name }) => name);

test('[API-WRK1] users list the workers that their teams may use, administrators all', async () => {
  expect(await names('viewer')).toEqual(['own', 'shared']);
  expect(await names('admin')).toEqual(['own', 'shared', 'theirs']);
  expect((await api.get('/api/v1/workers')).status).toBe(401);
});

test('[API-WRK2] a worker shows others than administrators only that it has problems', async () => {
  const seen = (await (await api.get('/api/v1/workers', 'owner')).json()) as { addr: string }[];
  expect(seen.map(({ addr }) => addr)).toEqual(['has problems; administrators see them', '']);
});

test('[API-WRK2] a worker shows administrators its problems where fly shows an address', async () => {
  const [own] = (await (await api.get('/api/v1/workers', 'admin')).json()) as object[];
  expect(own).toEqual({
    addr: 'may not list pods; may not create pods',
    baggageclaim_url: '',
    active_containers: 0,
    active_volumes: 0,
    active_tasks: 0,
    resource_types: [{ type: 'mock', image: 'mock', version: '1', privileged: false, unique_version_history: false }],
    platform: 'linux',
    tags: ['x'],
    team: 'team',
    name: 'own',
    version: '2.5',
    start_time: expect.any(Number),
    ephemeral: false,
    state: 'running',
  });
});

test('[API-WRK7] a worker shows the way to it, if it has more than one, where fly shows an address', async () => {
  const seen = (await (await api.get('/api/v1/workers', 'viewer')).json()) as { baggageclaim_url: string }[];
  expect(seen.map(({ baggageclaim_url }) => baggageclaim_url)).toEqual(['', 'direct']);
});

test('[API-WRK3] administrators, and members of its team, land and retire a worker', async () => {
  expect((await api.put('/api/v1/workers/own/land', 'member')).status).toBe(200);
  expect((await findWorker(api.pool, 'own'))?.state).toBe('landing');
  expect((await api.put('/api/v1/workers/shared/retire', 'admin', { team: '' })).status).toBe(200);
  expect((await findWorker(api.pool, 'shared'))?.state).toBe('retiring');
  expect((await api.put('/api/v1/workers/shared/land', 'owner')).status).toBe(403);
  expect((await api.put('/api/v1/workers/theirs/land', 'owner')).status).toBe(403);
  expect((await api.put('/api/v1/workers/own/land', 'pipeline-operator')).status).toBe(403);
  expect((await api.put('/api/v1/workers/none/land', 'admin')).status).toBe(404);
});

test('[API-WRK4] a running worker is not pruned', async () => {
  const running = await api.put('/api/v1/workers/own/prune', 'member');
  expect(running.status).toBe(400);
  expect(await running.json()).toEqual({ stderr: 'cannot prune running worker' });
  await api.pool.query("UPDATE worker SET state = 'stalled' WHERE name = 'own'");
  expect((await api.put('/api/v1/workers/own/prune', 'member')).status).toBe(200);
  expect((await api.put('/api/v1/workers/own/prune', 'admin')).status).toBe(404);
});

test('[API-WRK5] workers cannot register themselves', async () => {
  const registered = await api.post('/api/v1/workers', 'admin', { name: 'x' });
  expect(registered.status).toBe(501);
  expect(await registered.text()).toContain('Workers cannot register themselves');
});

test('[API-WRK6] fetched versions, caches of tasks and uploads are listed as volumes, not those of others', async () => {
  await api.pool.query(
    `INSERT INTO artifact (id, worker_name, stored) VALUES ('fetched', 'own', true), ('upload', 'own', true), ('theirs', 'own', true)`,
  );
  await api.pool.query(
    `INSERT INTO resource_cache (id, artifact_id, version, parent) VALUES ('c', 'fetched', '{"ref": "a"}', 'base:mock')`,
  );
  await api.pool.query(
    `INSERT INTO worker_artifact (team_id, name, artifact_id)
     SELECT team.id, 'x', given.artifact FROM team JOIN (VALUES ('team', 'fetched'), ('team', 'upload'), ('other', 'theirs'))
       given (team, artifact) ON given.team = team.name`,
  );
  const listed = (await (await api.get('/api/v1/teams/team/volumes', 'viewer')).json()) as object[];
  const rest = {
    worker_name: 'own',
    container_handle: '',
    path: '',
    parent_handle: '',
    base_resource_type: null,
    pipeline_id: 0,
    pipeline_name: '',
    pipeline_instance_vars: null,
    job_name: '',
    step_name: '',
  };
  const fetchedBy = { version: { ref: 'a' }, resource_type: null, base_resource_type: { name: 'mock', version: '' } };
  expect(listed).toEqual([
    { ...rest, id: 'fetched', type: 'resource', resource_type: fetchedBy },
    { ...rest, id: 'upload', type: 'artifact', resource_type: null },
  ]);
});
