import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findJob, listJobInputs, listJobOutputs, listJobs } from '../jobs/job.ts';
import { findResource, listResources } from '../resources/resource.ts';
import { ensureMainTeam } from '../teams/teams.ts';
import { sampleJob, samplePipeline, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { archivePipeline } from './archive-pipeline.ts';
import { findPipeline, listPipelines, readPipelineConfig } from './pipeline.ts';
import { savePipeline } from './save-pipeline.ts';

let db: TestDatabase;
let teamId: number;
beforeAll(async () => {
  db = await createTestDatabase();
  teamId = (await ensureMainTeam(db.pool, {})).id;
});
afterAll(() => db[Symbol.asyncDispose]());

function save(name: string, fromVersion: number, by?: { buildId: number; jobId: number }, jobs = [sampleJob('j')]) {
  const request = { teamId, ref: { name }, pipeline: samplePipeline({ jobs }), fromVersion };
  return savePipeline(db.pool, by ? { ...request, by } : request);
}

async function versionOf(name: string): Promise<number> {
  return (await findPipeline(db.pool, teamId, { name }))?.configVersion ?? 0;
}

test('[DB-PIPE1] a user’s new pipeline is paused and hidden; its configuration comes back as it was', async () => {
  const config = { jobs: [], resources: [], z: 1, a: { text: 'nul \u0000 and \ud800' } };
  const pipeline = { ...samplePipeline({}), config, shown: { groups: [{ name: 'g' }] } };
  const saved = await savePipeline(db.pool, { teamId, ref: { name: 'one' }, pipeline, fromVersion: 0 });
  expect(saved).toMatchObject({ kind: 'saved', created: true });
  const found = await findPipeline(db.pool, teamId, { name: 'one' });
  expect(found).toMatchObject({ paused: true, public: false, archived: false, teamName: 'main' });
  expect(found?.shown).toEqual({ groups: [{ name: 'g' }] });
  const read = await readPipelineConfig(db.pool, found?.id ?? 0);
  expect(JSON.stringify(read?.config)).toBe(JSON.stringify(config));
  expect(read?.version).toBe(found?.configVersion);
});

describe('[DB-PIPE2] a save from another version than the present one changes nothing', () => {
  test('in turn', async () => {
    expect(await save('two', 5)).toEqual({ kind: 'version-conflict' });
    await save('two', 0);
    expect(await save('two', 0)).toEqual({ kind: 'version-conflict' });
    expect(await save('two', await versionOf('two'))).toMatchObject({ kind: 'saved', created: false });
  });
  test('at once: one of many saves wins', async () => {
    const results = await Promise.all(Array.from({ length: 5 }, () => save('race', 0)));
    expect(results.map(({ kind }) => kind).sort()).toEqual(['saved', ...Array(4).fill('version-conflict')]);
    const version = await versionOf('race');
    const updates = await Promise.all(Array.from({ length: 5 }, () => save('race', version)));
    expect(updates.filter(({ kind }) => kind === 'saved')).toHaveLength(1);
  });
});

test('[DB-PIPE3] an item that the configuration drops is inactive, and gets its history back with its name', async () => {
  const both = { jobs: [sampleJob('a'), sampleJob('b')], resources: [sampleResource('r'), sampleResource('s')] };
  const first = await saveSample(db.pool, { name: 'three' }, both);
  await db.pool.query('UPDATE job SET build_counter = 7 WHERE id = $1', [first.jobs['a']]);
  await saveSample(db.pool, { name: 'three' }, { jobs: [sampleJob('b')], resources: [sampleResource('s')] });
  expect((await listJobs(db.pool, [first.pipelineId])).map(({ name }) => name)).toEqual(['b']);
  expect((await listResources(db.pool, [first.pipelineId])).map(({ name }) => name)).toEqual(['s']);
  const again = await saveSample(db.pool, { name: 'three' }, { ...both, jobs: [sampleJob('b'), sampleJob('a')] });
  expect(again.jobs).toEqual(first.jobs);
  expect((await listJobs(db.pool, [first.pipelineId])).map(({ name }) => name)).toEqual(['b', 'a']);
  const { rows } = await db.pool.query('SELECT build_counter FROM job WHERE id = $1', [first.jobs['a']]);
  expect(rows).toEqual([{ build_counter: 7 }]);
});

describe('[DB-PIPE4] old_name keeps the history under a new name', () => {
  test('of jobs and resources, in a chain, and again when it is still written', async () => {
    const before = await saveSample(db.pool, { name: 'four' }, { jobs: ['a', 'b'].map((name) => sampleJob(name)) });
    const chain = { jobs: [sampleJob('b', { oldName: 'a' }), sampleJob('c', { oldName: 'b' })] };
    const after = await saveSample(db.pool, { name: 'four' }, chain);
    expect(after.jobs).toEqual({ b: before.jobs['a'], c: before.jobs['b'] });
    expect((await saveSample(db.pool, { name: 'four' }, chain)).jobs).toEqual(after.jobs);
    const r = await saveSample(db.pool, { name: 'res' }, { resources: [sampleResource('r')] });
    const s = await saveSample(db.pool, { name: 'res' }, { resources: [sampleResource('s', { oldName: 'r' })] });
    expect(s.resources).toEqual({ s: r.resources['r'] });
  });
  test('over a name that is in use, or was: that history goes', async () => {
    const parts = { jobs: [sampleJob('a'), sampleJob('b')] };
    const a = await saveSample(db.pool, { name: 'over' }, parts);
    const b = await saveSample(db.pool, { name: 'over' }, { jobs: [sampleJob('b', { oldName: 'a' })] });
    expect(b.jobs).toEqual({ b: a.jobs['a'] });
  });
  test('but two do not change places', async () => {
    await saveSample(db.pool, { name: 'swap' }, { jobs: [sampleJob('a'), sampleJob('b')] });
    const jobs = [sampleJob('a', { oldName: 'b' }), sampleJob('b', { oldName: 'a' })];
    await expect(saveSample(db.pool, { name: 'swap' }, { jobs })).rejects.toMatchObject({ code: 'names-swapped' });
  });
});

test('[DB-PIPE5] inputs, outputs and serial groups are what the configuration says', async () => {
  const resources = [sampleResource('r')];
  const input = { name: 'in', resource: 'r', passed: ['a'], trigger: true, version: 'every' };
  const put = { name: 'out', resource: 'r' };
  const jobs = [
    sampleJob('a', { inputs: [{ ...input, passed: [] }] }),
    sampleJob('b', {
      inputs: [input],
      outputs: [put, put],
      serialGroups: ['g', 'h'],
      maxInFlight: 1,
      groups: ['x, "y"'],
    }),
  ];
  const saved = await saveSample(db.pool, { name: 'five' }, { jobs, resources });
  const ids = Object.values(saved.jobs);
  expect(await listJobInputs(db.pool, ids)).toEqual([
    {
      jobId: saved.jobs['a'],
      name: 'in',
      resource: 'r',
      resourceId: saved.resources['r'],
      trigger: true,
      version: 'every',
      passed: [],
    },
    {
      jobId: saved.jobs['b'],
      name: 'in',
      resource: 'r',
      resourceId: saved.resources['r'],
      trigger: true,
      version: 'every',
      passed: ['a'],
    },
  ]);
  expect(await listJobOutputs(db.pool, ids)).toEqual([{ jobId: saved.jobs['b'], name: 'out', resource: 'r' }]);
  expect(await findJob(db.pool, saved.pipelineId, 'b')).toMatchObject({ maxInFlight: 1, groups: ['x, "y"'] });
  const groups = async () =>
    (await db.pool.query('SELECT serial_group FROM job_serial_group WHERE job_id = $1 ORDER BY 1', [saved.jobs['b']]))
      .rows;
  expect(await groups()).toEqual([{ serial_group: 'g' }, { serial_group: 'h' }]);
  await saveSample(db.pool, { name: 'five' }, { jobs: [sampleJob('b', { serialGroups: ['i'] })], resources });
  expect(await groups()).toEqual([{ serial_group: 'i' }]);
  expect(await listJobInputs(db.pool, ids)).toEqual([]);
});

test('[DB-PIPE6] a save asks for all of its active jobs to be scheduled', async () => {
  const saved = await saveSample(db.pool, { name: 'six' }, { jobs: [sampleJob('a'), sampleJob('b')] });
  await saveSample(db.pool, { name: 'six' }, { jobs: [sampleJob('a')] });
  const { rows } = await db.pool.query(
    'SELECT name, schedule_requested::int AS times FROM job WHERE pipeline_id = $1 ORDER BY name',
    [saved.pipelineId],
  );
  expect(rows).toEqual([
    { name: 'a', times: 2 },
    { name: 'b', times: 1 },
  ]);
});

test('[DB-PIPE7] a resource keeps its versions unless its type or source changes', async () => {
  const saved = await saveSample(db.pool, { name: 'seven' }, { resources: [sampleResource('r')] });
  const scope = async () => (await findResource(db.pool, saved.pipelineId, 'r'))?.scopeId;
  await db.pool.query(
    `WITH config AS (INSERT INTO resource_config (parent, source_digest) VALUES ('base:mock', 'x') RETURNING id),
       scope AS (INSERT INTO resource_scope (resource_config_id, resource_id) SELECT id, $1 FROM config RETURNING id)
     UPDATE resource SET scope_id = scope.id FROM scope WHERE resource.id = $1`,
    [saved.resources['r']],
  );
  const source = { name: 'r' };
  const config = { name: 'r', type: 'mock', source };
  await saveSample(
    db.pool,
    { name: 'seven' },
    { resources: [sampleResource('r', { config: { ...config, icon: 'x' } })] },
  );
  expect(await scope()).toBeDefined();
  const changed = { ...config, source: { ...source, uri: 'x' } };
  await saveSample(db.pool, { name: 'seven' }, { resources: [sampleResource('r', { config: changed })] });
  expect(await scope()).toBeUndefined();
});

test('[DB-PIPE8] a pin in the configuration replaces one by the API, and goes with it; the API’s stays without', async () => {
  const saved = await saveSample(db.pool, { name: 'eight' }, { resources: [sampleResource('r')] });
  const pin = async () => {
    const found = await findResource(db.pool, saved.pipelineId, 'r');
    return found?.pinnedVersion && { version: found.pinnedVersion, inConfig: found.pinnedInConfig };
  };
  await db.pool.query(`INSERT INTO resource_pin VALUES ($1, '{"by": "api"}', 'why', false)`, [saved.resources['r']]);
  await saveSample(db.pool, { name: 'eight' }, { resources: [sampleResource('r')] });
  expect(await pin()).toEqual({ version: { by: 'api' }, inConfig: false });
  await saveSample(db.pool, { name: 'eight' }, { resources: [sampleResource('r', { pin: { by: 'config' } })] });
  expect(await pin()).toEqual({ version: { by: 'config' }, inConfig: true });
  await saveSample(db.pool, { name: 'eight' }, { resources: [sampleResource('r')] });
  expect(await pin()).toBeUndefined();
});

describe('[DB-PIPE9] set by a build', () => {
  test('a new pipeline is not paused; a paused one stays so; an archived one is unpaused', async () => {
    const by = { buildId: 10, jobId: 1 };
    const state = async () => findPipeline(db.pool, teamId, { name: 'nine' });
    await save('nine', 0, by);
    expect(await state()).toMatchObject({ paused: false, parentBuildId: 10, parentJobId: 1 });
    await db.pool.query("UPDATE pipeline SET paused = true WHERE name = 'nine'");
    await save('nine', await versionOf('nine'), by);
    expect(await state()).toMatchObject({ paused: true });
    await archivePipeline(db.pool, (await state())?.id ?? 0, 'me');
    expect(await state()).toMatchObject({ archived: true, configVersion: 0 });
    await save('nine', 0, by);
    expect(await state()).toMatchObject({ paused: false, archived: false });
  });
  test('not over a newer build; a user takes it for good', async () => {
    const set = async (buildId: number) => (await save('newer', await versionOf('newer'), { buildId, jobId: 1 })).kind;
    expect(await set(20)).toBe('saved');
    expect(await set(19)).toBe('set-by-newer-build');
    expect(await set(20)).toBe('saved');
    await save('newer', await versionOf('newer'));
    expect(await findPipeline(db.pool, teamId, { name: 'newer' })).not.toHaveProperty('parentBuildId');
    expect(await set(5)).toBe('saved');
  });
});

test('[DB-PIPE10] an archived pipeline that a user sets again is still paused', async () => {
  await save('ten', 0);
  const found = await findPipeline(db.pool, teamId, { name: 'ten' });
  await archivePipeline(db.pool, found?.id ?? 0, 'me');
  expect(await readPipelineConfig(db.pool, found?.id ?? 0)).toBeUndefined();
  expect(await save('ten', 0)).toMatchObject({ kind: 'saved', created: false });
  expect(await findPipeline(db.pool, teamId, { name: 'ten' })).toMatchObject({ paused: true, archived: false });
});

test('[DB-PIPE11] instances differ by their vars, not by the order of keys; no vars differs from empty vars', async () => {
  const vars = { b: 1, a: { c: true } };
  const refs = [{ name: 'inst' }, { name: 'inst', instanceVars: {} }, { name: 'inst', instanceVars: vars }];
  const saved = await Promise.all(refs.map((ref) => saveSample(db.pool, ref, {})));
  expect(new Set(saved.map(({ pipelineId }) => pipelineId)).size).toBe(3);
  const same = await findPipeline(db.pool, teamId, { name: 'inst', instanceVars: { a: { c: true }, b: 1 } });
  expect(same).toMatchObject({ id: saved[2]?.pipelineId, instanceVars: vars });
  expect(await findPipeline(db.pool, teamId, { name: 'inst' })).not.toHaveProperty('instanceVars');
});

test('[DB-PIPE12] new pipelines go to the end, an instance to the others of its name', async () => {
  await using own = await createTestDatabase();
  for (const ref of [{ name: 'b', instanceVars: { n: 1 } }, { name: 'a' }, { name: 'b', instanceVars: { n: 2 } }])
    await saveSample(own.pool, ref, {});
  const names = (await listPipelines(own.pool)).map(({ name, instanceVars }) => `${name}${instanceVars?.['n'] ?? ''}`);
  expect(names).toEqual(['b1', 'b2', 'a']);
});
