import type { CheckPlan, JsonObject, PutPlan, Version } from '@seaplane/config';
import { buildResourceCheckPlan, readSavedPipeline } from '@seaplane/config';
import type { BuildInfo, ResolvedResource } from '@seaplane/engine';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCheckBuild } from '../builds/create-started-build.ts';
import { Locks } from '../locks/locks.ts';
import { type SavedSample, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { createResources } from './create-resources.ts';
import { listVersions } from './list-versions.ts';
import { findResource } from './resource.ts';

// A pipeline is set while checks and builds of its former configuration run.

let db: TestDatabase;
let locks: Locks;
beforeAll(async () => {
  db = await createTestDatabase();
  locks = new Locks(db.pool);
});
afterAll(async () => {
  await locks.close();
  await db[Symbol.asyncDispose]();
});

const never = new AbortController().signal;
const of = () => createResources({ pool: db.pool, locks });

interface Config {
  readonly source: JsonObject;
  readonly type?: JsonObject;
}

/** Sets the pipeline: one resource `r` of the custom type `t`. Returns the plan of a check of it. */
async function set(name: string, { source, type = { tag: 'old' } }: Config): Promise<[SavedSample, CheckPlan]> {
  const config = { name: 'r', type: 't', source };
  const typeConfig = { name: 't', type: 'mock', source: type, defaults: { depth: 1 } };
  const saved = await saveSample(
    db.pool,
    { name },
    {
      resources: [sampleResource('r', { type: 't', config })],
      resourceTypes: [{ name: 't', type: 'mock', config: typeConfig }],
    },
  );
  const { resources, resource_types } = readSavedPipeline({ resources: [config], resource_types: [typeConfig] });
  const resource = resources[0];
  if (!resource) throw new Error('no resource');
  const plan = buildResourceCheckPlan(resource, { resourceTypes: resource_types, skipInterval: true });
  if (!('check' in plan)) throw new Error('no check');
  return [saved, plan.check];
}

function resolved({ type, source }: Pick<CheckPlan, 'type' | 'source'>, imageCacheId = 'old'): ResolvedResource {
  const image = { kind: 'base-type', type: 'mock', privileged: false } as const;
  return { type, source, image, imageCacheId, tags: [], env: {} };
}

async function newBuild({ teamId, pipelineId, resources }: SavedSample): Promise<BuildInfo> {
  const planned = { plan: { id: '1', do: [] }, publicPlan: {}, manuallyTriggered: true };
  const build = await createCheckBuild(db.pool, { resourceId: resources['r'] ?? 0 }, planned);
  return { id: build?.id ?? 0, name: 'check', teamId, teamName: 'main', pipelineId, externalUrl: 'http://test' };
}

async function check(sample: SavedSample, plan: CheckPlan, versions: Version[], what = resolved(plan)) {
  await using session = await of().beginCheck(await newBuild(sample), plan, what, never);
  await session.recordVersions(versions);
}

async function known(sample: SavedSample): Promise<Version[]> {
  const { versions } = await listVersions(db.pool, sample.resources['r'] ?? 0, {}, { limit: 100 });
  return versions.map(({ version }) => version);
}

const changed = "the configuration of resource 'r' has changed since this check was made";

test('[DB-CHK9] a check of the former source that begins late fails, and the new history stays', async () => {
  const [, old] = await set('late', { source: { uri: 'old' } });
  const [sample, plan] = await set('late', { source: { uri: 'new' } });
  await expect(check(sample, old, [{ v: 'old' }])).rejects.toThrow(changed);
  expect((await findResource(db.pool, sample.pipelineId, 'r'))?.lastCheckEndedAt).toBeUndefined();
  await check(sample, plan, [{ v: 'new' }]);
  await expect(check(sample, old, [{ v: 'old' }])).rejects.toThrow(changed);
  expect(await known(sample)).toEqual([{ v: 'new' }]);
});

test('[DB-CHK9] a check of the former source that ends late is not a check of the new one', async () => {
  const [before, old] = await set('ends', { source: { uri: 'old' } });
  await using session = await of().beginCheck(await newBuild(before), old, resolved(old), never);
  const [sample] = await set('ends', { source: { uri: 'new' } });
  await session.recordVersions([{ v: 'old' }]);
  expect((await findResource(db.pool, sample.pipelineId, 'r'))?.lastCheckEndedAt).toBeUndefined();
  expect(await known(sample)).toEqual([]);
});

test('[DB-CHK9] a check with the former image of the resource’s type fails, and the new history stays', async () => {
  const [, old] = await set('type', { source: {}, type: { tag: 'old' } });
  const [sample, plan] = await set('type', { source: {}, type: { tag: 'new' } });
  await check(sample, plan, [{ v: 'new' }], resolved(plan, 'new'));
  await expect(check(sample, old, [{ v: 'old' }])).rejects.toThrow(changed);
  expect(await known(sample)).toEqual([{ v: 'new' }]);
});

test('[DB-CHK9] a change of anything else, and another value of a variable, let a check go on', async () => {
  const source = { uri: '((uri))', big: 1, more: { b: [1, null], a: 'x' } };
  const [, old] = await set('same', { source });
  const [sample] = await set('same', { source: { more: { a: 'x', b: [1, null] }, big: 1, uri: '((uri))' } });
  expect(old.source).toMatchObject({ depth: 1 });
  await check(sample, old, [{ v: '1' }], { ...resolved(old), source: { uri: 'first' } });
  await check(sample, old, [{ v: '2' }], { ...resolved(old), source: { uri: 'second' } });
  expect(await known(sample)).toEqual([{ v: '2' }]);
});

test('[DB-CHK9] the operator’s defaults, with which a check is planned, do not count as a change', async () => {
  const { pool } = db;
  const baseTypeDefaults = { mock: { mirror: 'm' } };
  const config = { name: 'r', type: 'mock', source: { uri: 'u' } };
  const sample = await saveSample(pool, { name: 'defaults' }, { resources: [sampleResource('r', { config })] });
  const plan = buildResourceCheckPlan(config, { resourceTypes: [], skipInterval: true, baseTypeDefaults });
  if (!('check' in plan)) throw new Error('no check');
  expect(plan.check.source).toEqual({ mirror: 'm', uri: 'u' });
  const resources = createResources({ pool, locks, baseTypeDefaults });
  await using session = await resources.beginCheck(await newBuild(sample), plan.check, resolved(plan.check), never);
  await session.recordVersions([{ v: '1' }]);
  expect(await known(sample)).toEqual([{ v: '1' }]);
});

test('[DB-CHK9] a put to the former source is an output of its build, and no version of the new source', async () => {
  const [, old] = await set('put', { source: { uri: 'old' } });
  const [sample, plan] = await set('put', { source: { uri: 'new' } });
  await check(sample, plan, [{ v: 'new' }]);
  const build = await newBuild(sample);
  const put: PutPlan & { resource: string } = { ...old, name: 'out', resource: 'r' };
  await of().saveOutput(build, put, resolved(old), { v: 'old' }, []);
  expect(await known(sample)).toEqual([{ v: 'new' }]);
  const { rows } = await db.pool.query('SELECT name, version FROM build_output WHERE build_id = $1', [build.id]);
  expect(rows).toEqual([{ name: 'out', version: { v: 'old' } }]);
});

test('[DB-CHK9] a build that goes on with a former type does not point the type to its history', async () => {
  const [, old] = await set('image', { source: {}, type: { tag: 'old' } });
  const [sample, plan] = await set('image', { source: {}, type: { tag: 'new' } });
  const histories = async () =>
    (await db.pool.query('SELECT scope_id FROM resource_type WHERE pipeline_id = $1', [sample.pipelineId])).rows;
  const imageOf = ({ image }: CheckPlan) =>
    image.check_plan && 'check' in image.check_plan ? image.check_plan.check : plan;
  await check(sample, imageOf(plan), [{ v: 'new' }]);
  const pointed = await histories();
  expect(pointed).toEqual([{ scope_id: expect.any(Number) }]);
  await check(sample, imageOf(old), [{ v: 'old' }]);
  expect(await histories()).toEqual(pointed);
});

test('[DB-CHK10] a changed source aborts the running checks of the resource, and the next check can begin', async () => {
  const [before] = await set('abort', { source: { uri: 'old' } });
  const { id } = await newBuild(before);
  const aborted = async () =>
    (await db.pool.query('SELECT aborted FROM build WHERE id = $1', [id])).rows[0]?.aborted as boolean;
  await set('abort', { source: { uri: 'old' } });
  expect(await aborted()).toBe(false);
  const [sample] = await set('abort', { source: { uri: 'new' } });
  expect(await aborted()).toBe(true);
  const periodic = { plan: { id: '1', do: [] }, publicPlan: {}, manuallyTriggered: false };
  expect(await createCheckBuild(db.pool, { resourceId: sample.resources['r'] ?? 0 }, periodic)).toBeDefined();
});
