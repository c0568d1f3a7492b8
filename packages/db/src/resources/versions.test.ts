import type { Version } from '@seaplane/config';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inTransaction } from '../queryable.ts';
import { sampleJob, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { findVersion, listVersions } from './list-versions.ts';
import { clearVersions, enableVersion, pinVersion, setPinComment, unpin } from './pins.ts';
import { findResource } from './resource.ts';
import { findOrCreateResourceConfig } from './resource-config.ts';
import { enterResourceScope } from './scope.ts';
import { latestVersion, saveVersion, saveVersions } from './versions.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db[Symbol.asyncDispose]());

let resources = 0;

async function newResource(versions: readonly Version[] = []) {
  const name = `p${resources++}`;
  const jobs = [sampleJob('j', { inputs: [{ name: 'r', resource: 'r', passed: [], trigger: true }] })];
  const sample = await saveSample(db.pool, { name }, { jobs, resources: [sampleResource('r')] });
  const resourceId = sample.resources['r'] ?? 0;
  const scopeId = await inTransaction(db.pool, async (tx) => {
    const config = await findOrCreateResourceConfig(tx, { type: name, source: {} });
    const plan = { name: 'r', type: 'mock', source: { name: 'r' }, image: {} };
    const scope = (await enterResourceScope(tx, resourceId, config, plan, {})) ?? 0;
    await saveVersions(tx, scope, versions);
    return scope;
  });
  return { pipelineId: sample.pipelineId, jobId: sample.jobs['j'] ?? 0, resourceId, scopeId };
}

const v = (n: number): Version => ({ v: String(n), same: 'yes' });

async function order(resourceId: number): Promise<number[]> {
  const { versions } = await listVersions(db.pool, resourceId, {}, { limit: 1000 });
  return versions.map(({ version }) => Number(version['v'])).reverse();
}

/** Saves versions in memory. Returns their order, oldest first. */
function saved(known: readonly number[], returned: readonly number[]): number[] {
  const distinct = returned.filter((n, index) => returned.lastIndexOf(n) === index);
  if (distinct.every((n) => known.includes(n))) return [...known];
  return [...known.filter((n) => !distinct.includes(n)), ...distinct];
}

test('[DB-VER1] if one of a check’s versions is new, all become the newest in their order; else nothing changes', async () => {
  const step = fc.oneof(fc.record({ check: fc.array(fc.nat(8), { maxLength: 6 }) }), fc.record({ put: fc.nat(12) }));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { resourceId, scopeId } = await newResource();
      let model: number[] = [];
      for (const act of steps) {
        if ('check' in act) {
          const news = act.check.some((n) => !model.includes(n));
          expect(await saveVersions(db.pool, scopeId, act.check.map(v))).toBe(news);
          model = saved(model, act.check);
        } else {
          await saveVersion(db.pool, scopeId, v(act.put), []);
          if (!model.includes(act.put)) model.push(act.put);
        }
        expect(await order(resourceId)).toEqual(model);
      }
      const newest = model.at(-1);
      expect(await latestVersion(db.pool, scopeId)).toEqual(newest === undefined ? undefined : v(newest));
    }),
    { numRuns: 20 },
  );
});

test('[DB-VER2] the order of keys does not make another version', async () => {
  const { resourceId, scopeId } = await newResource([{ a: '1', b: '2' }]);
  expect(await saveVersions(db.pool, scopeId, [{ b: '2', a: '1' }])).toBe(false);
  expect((await listVersions(db.pool, resourceId, {}, { limit: 9 })).versions).toHaveLength(1);
});

test('[DB-VER3] checks and puts at once give every version one place', async () => {
  const { resourceId, scopeId } = await newResource();
  await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      inTransaction(db.pool, async (tx) => {
        await tx.query('SELECT FROM resource_scope WHERE id = $1 FOR NO KEY UPDATE', [scopeId]);
        if (n % 2) await saveVersions(tx, scopeId, [v(n), v(n + 1)]);
        else await saveVersion(tx, scopeId, v(n), []);
      }),
    ),
  );
  const { rows } = await db.pool.query('SELECT check_order AS o FROM resource_version WHERE scope_id = $1', [scopeId]);
  expect(new Set(rows.map(({ o }) => o)).size).toBe(rows.length);
  expect((await order(resourceId)).sort((a, b) => a - b)).toEqual(Array.from({ length: 13 }, (_, n) => n));
});

test('[DB-VER4] versions are listed newest first, those that contain the filter, a page at a time', async () => {
  const { resourceId } = await newResource([1, 2, 3, 4, 5].map(v));
  const page = (range: { from?: number; to?: number; limit: number }, filter: Version = {}) =>
    listVersions(db.pool, resourceId, filter, range);
  const all = (await page({ limit: 10 })).versions;
  const ids = all.map(({ id }) => id);
  expect(all.map(({ version }) => version['v'])).toEqual(['5', '4', '3', '2', '1']);
  expect((await page({ limit: 10 }, { v: '3', same: 'yes' })).versions).toHaveLength(1);
  expect((await page({ limit: 10 }, { v: '3', same: 'no' })).versions).toHaveLength(0);
  const first = await page({ limit: 2 });
  expect(first.versions.map(({ id }) => id)).toEqual(ids.slice(0, 2));
  expect(first).toMatchObject({ older: ids[2] });
  expect(first).not.toHaveProperty('newer');
  const second = await page({ to: ids[2] ?? 0, limit: 2 });
  expect(second.versions.map(({ id }) => id)).toEqual(ids.slice(2, 4));
  expect(second).toMatchObject({ older: ids[4], newer: ids[1] });
  const back = await page({ from: ids[3] ?? 0, limit: 2 });
  expect(back.versions.map(({ id }) => id)).toEqual(ids.slice(2, 4));
});

test('[DB-VER5] clearing forgets them all, and is a reason to schedule', async () => {
  const { resourceId, scopeId, jobId } = await newResource([v(1), v(2)]);
  const requested = async () =>
    (await db.pool.query<{ n: number }>('SELECT schedule_requested AS n FROM job WHERE id = $1', [jobId])).rows[0]?.n;
  const before = (await requested()) ?? 0;
  expect(await clearVersions(db.pool, scopeId)).toBe(2);
  expect(await order(resourceId)).toEqual([]);
  expect(await requested()).toBe(before + 1);
});

describe('[DB-PIN1] pins by the API', () => {
  test('are to a version of the resource; each change is a reason to schedule', async () => {
    const { resourceId, jobId, pipelineId } = await newResource([v(1), v(2)]);
    const other = await newResource([v(1)]);
    const requested = async () =>
      (await db.pool.query('SELECT schedule_requested AS n FROM job WHERE id = $1', [jobId])).rows[0].n;
    const before = await requested();
    const [newest, oldest] = (await listVersions(db.pool, resourceId, {}, { limit: 2 })).versions;
    const foreign = (await listVersions(db.pool, other.resourceId, {}, { limit: 1 })).versions[0];
    expect(await pinVersion(db.pool, resourceId, foreign?.id ?? 0)).toBe('unknown');
    expect(await pinVersion(db.pool, resourceId, newest?.id ?? 0)).toBe('done');
    expect(await setPinComment(db.pool, resourceId, 'because')).toBe(true);
    expect(await pinVersion(db.pool, resourceId, oldest?.id ?? 0)).toBe('done');
    expect(await findResource(db.pool, pipelineId, 'r')).toMatchObject({
      pinnedVersion: v(1),
      pinnedInConfig: false,
      pinComment: 'because',
    });
    expect(await unpin(db.pool, resourceId)).toBe('done');
    expect(await unpin(db.pool, resourceId)).toBe('unknown');
    expect(await setPinComment(db.pool, resourceId, 'why')).toBe(false);
    expect(await requested()).toBe(before + 3);
  });
  test('do not change what the configuration pins', async () => {
    const { resourceId } = await newResource([v(1)]);
    await db.pool.query(`INSERT INTO resource_pin VALUES ($1, '{"v": "1"}', '', true)`, [resourceId]);
    const [version] = (await listVersions(db.pool, resourceId, {}, { limit: 1 })).versions;
    expect(await pinVersion(db.pool, resourceId, version?.id ?? 0)).toBe('in-config');
    expect(await unpin(db.pool, resourceId)).toBe('in-config');
  });
});

test('[DB-PIN2] a disabled version is so for its resource, and again when it is found anew', async () => {
  const { resourceId, scopeId } = await newResource([v(1)]);
  const enabled = async () => (await listVersions(db.pool, resourceId, {}, { limit: 1 })).versions[0]?.enabled;
  const [version] = (await listVersions(db.pool, resourceId, {}, { limit: 1 })).versions;
  expect(await enableVersion(db.pool, resourceId, version?.id ?? 0, false)).toBe(true);
  expect(await findVersion(db.pool, resourceId, version?.id ?? 0)).toMatchObject({ enabled: false });
  await clearVersions(db.pool, scopeId);
  expect(await enableVersion(db.pool, resourceId, version?.id ?? 0, true)).toBe(false);
  await saveVersions(db.pool, scopeId, [v(1)]);
  expect(await enabled()).toBe(false);
  const [again] = (await listVersions(db.pool, resourceId, {}, { limit: 1 })).versions;
  expect(await enableVersion(db.pool, resourceId, again?.id ?? 0, true)).toBe(true);
  expect(await enabled()).toBe(true);
});
