import { parseYaml, readPipeline } from '@seaplane/config';
import { configToSave, ensureMainTeam, savePipeline } from '@seaplane/db';
import { createTestDatabase, readPrivatePlans } from '@seaplane/db/testing';
import { expect, test } from 'vitest';
import { planJobBuild } from '../builds/plan-build.ts';
import { StoredPipelines } from '../stored-pipelines.ts';
import { checkPrototype, checkResource, checkResourceType } from './check-builds.ts';

const CONFIG = `
resource_types: [{name: custom, type: registry-image, source: {repository: x}}]
prototypes: [{name: proto, type: custom, source: {repository: z}}]
resources: [{name: repo, type: git, source: {uri: here}}]
jobs: [{name: unit, plan: [{get: repo}]}]`;

test('[SCHED16] plans have the defaults that an operator set for base types', async () => {
  await using database = await createTestDatabase();
  const { pool: db } = database;
  const { id: teamId } = await ensureMainTeam(db, {});
  const parsed = readPipeline(parseYaml(CONFIG));
  if (!parsed.ok) throw new Error(parsed.errors.join());
  const pipeline = configToSave(parsed.config);
  await savePipeline(db, { teamId, ref: { name: 'p' }, pipeline, fromVersion: 0 });
  const idOf = async (table: string) =>
    (await db.query(`SELECT id, pipeline_id AS "pipelineId" FROM ${table}`)).rows[0];
  const baseTypeDefaults = { git: { proxy: 'p', uri: 'z' }, 'registry-image': { mirror: 'm' } };
  const context = { db, storedPipelines: new StoredPipelines(), baseTypeDefaults };
  const asked = { manuallyTriggered: true };

  const builds = [
    await checkResource(context, (await idOf('resource')).id, asked),
    await checkResourceType(context, (await idOf('resource_type')).id, asked),
    await checkPrototype(context, (await idOf('prototype')).id, asked),
  ].map((build) => build?.id ?? 0);
  const plans = await readPrivatePlans(db, builds);
  expect(builds.map((id) => plans.get(id))).toMatchObject([
    { check: { source: { proxy: 'p', uri: 'here' } } },
    { check: { source: { mirror: 'm', repository: 'x' } } },
    { check: { source: { repository: 'z' } } },
  ]);
  const { pipelineId } = await idOf('job');
  const { plan } = await planJobBuild(context, { pipelineId, name: 'unit' }, asked, [
    { name: 'repo', version: { ref: '1' } } as never,
  ]);
  expect(JSON.stringify(plan)).toContain('"source":{"proxy":"p","uri":"here"}');
});

test('[SCHED17] a prototype is checked by its type, in a build of its own', async () => {
  await using database = await createTestDatabase();
  const { pool: db } = database;
  const { id: teamId } = await ensureMainTeam(db, {});
  const parsed = readPipeline(parseYaml(CONFIG));
  if (!parsed.ok) throw new Error(parsed.errors.join());
  await savePipeline(db, { teamId, ref: { name: 'p' }, pipeline: configToSave(parsed.config), fromVersion: 0 });
  const { rows } = await db.query<{ id: number }>('SELECT id FROM prototype');
  const context = { db, storedPipelines: new StoredPipelines() };
  const build = await checkPrototype(context, rows[0]?.id ?? 0, { manuallyTriggered: true, from: { v: '1' } });
  expect(build).toMatchObject({ name: 'check', status: 'started', manuallyTriggered: true });
  const stored = await db.query('SELECT id, prototype_id AS "prototypeId" FROM build');
  expect(stored.rows).toEqual([{ id: build?.id, prototypeId: rows[0]?.id }]);
  expect((await readPrivatePlans(db, [build?.id ?? 0])).get(build?.id ?? 0)).toMatchObject({
    id: '1',
    check: {
      prototype: 'proto',
      type: 'custom',
      from_version: { v: '1' },
      image: { check_plan: expect.anything() },
    },
  });
});

test('[SCHED18] what has no interval of its own has the operator’s, by its kind', async () => {
  await using database = await createTestDatabase();
  const { pool: db } = database;
  const { id: teamId } = await ensureMainTeam(db, {});
  const config = `
resource_types: [{name: custom, type: registry-image, source: {repository: x}}]
resources:
- {name: plain, type: custom, source: {}}
- {name: own, type: git, source: {}, check_every: 3h}
- {name: with-webhook, type: git, source: {}, webhook_token: t}
jobs: [{name: unit, plan: [{get: plain}, {get: own}, {get: with-webhook}]}]`;
  const parsed = readPipeline(parseYaml(config));
  if (!parsed.ok) throw new Error(parsed.errors.join());
  await savePipeline(db, { teamId, ref: { name: 'p' }, pipeline: configToSave(parsed.config), fromVersion: 0 });
  const checkIntervals = { resource: '5m', resourceWithWebhook: '24h', resourceType: '10m' };
  const context = { db, storedPipelines: new StoredPipelines(), checkIntervals };
  const rows = async (table: string) => (await db.query<{ id: number }>(`SELECT id FROM ${table} ORDER BY name`)).rows;
  const builds: number[] = [];
  for (const { id } of await rows('resource')) {
    builds.push((await checkResource(context, id, { manuallyTriggered: false }))?.id ?? 0);
  }
  const [type] = await rows('resource_type');
  builds.push((await checkResourceType(context, type?.id ?? 0, { manuallyTriggered: true }))?.id ?? 0);
  const plans = await readPrivatePlans(db, builds);
  expect(builds.map((id) => plans.get(id))).toMatchObject([
    { check: { name: 'own', interval: '3h0m0s' } },
    { check: { name: 'plain', interval: '5m', image: { check_plan: { check: { interval: '5m' } } } } },
    { check: { name: 'with-webhook', interval: '24h' } },
    { check: { name: 'custom', interval: '10m' } },
  ]);
  const pipelineId = (await db.query<{ id: number }>('SELECT id FROM pipeline')).rows[0]?.id ?? 0;
  const inputs = ['plain', 'own', 'with-webhook'].map((name) => ({ name, version: { ref: '1' } }) as never);
  const { plan } = await planJobBuild(context, { pipelineId, name: 'unit' }, { manuallyTriggered: false }, inputs);
  expect(JSON.stringify(plan)).toContain('"interval":"5m"');
});
