import type { CheckPlan, Version } from '@seaplane/config';
import type { BuildInfo, ResolvedResource } from '@seaplane/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createJobBuild } from '../builds/create-job-build.ts';
import { createCheckBuild, createOneOffBuild } from '../builds/create-started-build.ts';
import { Locks } from '../locks/locks.ts';
import { Notifications } from '../notifications/notifications.ts';
import { type SavedSample, sampleJob, sampleResource, saveSample } from '../testing/sample-pipeline.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { createResources } from './create-resources.ts';
import { listVersions } from './list-versions.ts';
import { pinVersion } from './pins.ts';
import { findResource } from './resource.ts';

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
let pipelines = 0;

async function newPipeline(): Promise<SavedSample> {
  const jobs = [
    sampleJob('direct', { inputs: [{ name: 'r', resource: 'r', passed: [], trigger: false }] }),
    sampleJob('passed', { inputs: [{ name: 'r', resource: 'r', passed: ['direct'], trigger: true }] }),
    sampleJob('apart'),
  ];
  const resourceTypes = [{ name: 't', type: 'mock', config: { name: 't' } }];
  const resources = [sampleResource('r'), sampleResource('other')];
  return saveSample(db.pool, { name: `p${pipelines++}` }, { jobs, resources, resourceTypes });
}

function resolved(source: ResolvedResource['source'] = {}, imageCacheId?: string): ResolvedResource {
  const image = { kind: 'base-type', type: 'mock', privileged: false } as const;
  const base = { type: 'mock', source, image, tags: [], env: {} };
  return imageCacheId ? { ...base, imageCacheId } : base;
}

function plan(options: Partial<CheckPlan> = {}): CheckPlan {
  return { name: 'r', type: 'mock', source: { name: 'r' }, image: {}, resource: 'r', ...options };
}

const asked = plan({ skip_interval: true });

async function checkBuild({ teamId, pipelineId, resources }: SavedSample): Promise<BuildInfo> {
  const planned = { plan: { id: '1', check: plan() }, publicPlan: {}, manuallyTriggered: true };
  const build = await createCheckBuild(db.pool, { resourceId: resources['r'] ?? 0 }, planned);
  return info(build?.id ?? 0, teamId, pipelineId);
}

function info(id: number, teamId: number, pipelineId?: number): BuildInfo {
  const base = { id, name: 'check', teamId, teamName: 'main', externalUrl: 'http://test' };
  return pipelineId === undefined ? base : { ...base, pipelineId };
}

const of = () => createResources({ pool: db.pool, locks });

/** A whole check, as the engine makes it. */
async function check(sample: SavedSample, versions: Version[], how = asked, what = resolved()) {
  await using session = await of().beginCheck(await checkBuild(sample), how, what, never);
  if (session.skip) return { skipped: session.skip.latest };
  return { from: session.from, latest: (await session.recordVersions(versions)).latest };
}

async function history(sample: SavedSample, name = 'r'): Promise<Version[]> {
  const { versions } = await listVersions(db.pool, sample.resources[name] ?? 0, {}, { limit: 100 });
  return versions.map(({ version }) => version).reverse();
}

async function requests({ pipelineId }: SavedSample, action: () => Promise<unknown>) {
  const sql = 'SELECT name, schedule_requested AS n FROM job WHERE pipeline_id = $1 ORDER BY name';
  const before = (await db.pool.query<{ name: string; n: number }>(sql, [pipelineId])).rows;
  await action();
  const after = (await db.pool.query<{ name: string; n: number }>(sql, [pipelineId])).rows;
  return Object.fromEntries(after.map(({ name, n }, index) => [name, n - (before[index]?.n ?? 0)]));
}

const v = (n: number | string): Version => ({ v: String(n) });

describe('[DB-CHK1] a check starts from the version asked for, else from the pin, else from the newest', () => {
  test('each in turn', async () => {
    const sample = await newPipeline();
    expect(await check(sample, [v(1), v(2)])).toEqual({ from: undefined, latest: v(2) });
    expect(await check(sample, [v(2)])).toEqual({ from: v(2), latest: v(2) });
    const { versions } = await listVersions(db.pool, sample.resources['r'] ?? 0, v(1), { limit: 1 });
    await pinVersion(db.pool, sample.resources['r'] ?? 0, versions[0]?.id ?? 0);
    expect((await check(sample, [])).from).toEqual(v(1));
    expect((await check(sample, [], plan({ skip_interval: true, from_version: v(9) }))).from).toEqual(v(9));
  });
});

describe('[DB-CHK2] a check schedules', () => {
  test('the jobs that get a new version directly, and no job without a new version', async () => {
    const sample = await newPipeline();
    await check(sample, [v(1)]);
    expect(await requests(sample, () => check(sample, [v(1), v(2)]))).toEqual({ apart: 0, direct: 1, passed: 0 });
    expect(await requests(sample, () => check(sample, [v(1), v(2)]))).toEqual({ apart: 0, direct: 0, passed: 0 });
  });
  test('the jobs that have a build waiting for it, whatever it finds, also if it fails', async () => {
    const sample = await newPipeline();
    await check(sample, [v(1)]);
    await createJobBuild(db.pool, { jobId: sample.jobs['direct'] ?? 0 });
    expect(await requests(sample, () => check(sample, [v(1)]))).toMatchObject({ direct: 1 });
    const fail = async () => {
      await using session = await of().beginCheck(await checkBuild(sample), asked, resolved(), never);
      await session.recordFailure();
    };
    expect(await requests(sample, fail)).toMatchObject({ direct: 1 });
  });
  test('a new history is news to all that use the resource', async () => {
    const sample = await newPipeline();
    expect(await requests(sample, () => check(sample, []))).toEqual({ apart: 0, direct: 1, passed: 1 });
  });
});

describe('[DB-CHK3] whether a check need run', () => {
  const periodic = plan({ interval: '1h' });
  test('a periodic one not before its interval is over, whether the last one succeeded or not', async () => {
    const sample = await newPipeline();
    expect(await check(sample, [v(1)], periodic)).toEqual({ from: undefined, latest: v(1) });
    expect(await check(sample, [v(2)], periodic)).toEqual({ skipped: v(1) });
    await db.pool.query("UPDATE resource_scope SET last_check_ended_at = now() - interval '1 hour'");
    expect(await check(sample, [v(2)], periodic)).toEqual({ from: v(1), latest: v(2) });
    expect(await check(sample, [v(3)], plan({ interval: '0s' }))).toEqual({ from: v(2), latest: v(3) });
  });
  test('never means: only when asked', async () => {
    const sample = await newPipeline();
    const times = { interval: 'never' };
    expect(await check(sample, [v(1)], plan(times))).toEqual({ skipped: undefined });
    expect(await check(sample, [v(1)], plan({ ...times, skip_interval: true }))).toMatchObject({ latest: v(1) });
  });
  test('never of an image means: once', async () => {
    const sample = await newPipeline();
    const { resource: _, ...ofImage } = plan({ interval: 'never' });
    const source = { image: 'once' };
    expect(await check(sample, [v(1)], ofImage, resolved(source))).toMatchObject({ latest: v(1) });
    expect(await check(sample, [v(2)], ofImage, resolved(source))).toEqual({ skipped: v(1) });
  });
  test('one that was asked for not if a success began after it was, unless it names a version', async () => {
    const sample = await newPipeline();
    const early = await checkBuild(sample);
    await check(sample, [v(1)]);
    const begin = async (how: CheckPlan) => {
      await using session = await of().beginCheck(early, how, resolved(), never);
      return session.skip;
    };
    expect(await begin(asked)).toEqual({ latest: v(1) });
    expect(await begin(plan({ skip_interval: true, from_version: v(1) }))).toBeUndefined();
  });
  test('a check that began and never ended says nothing: the next one runs', async () => {
    const sample = await newPipeline();
    await check(sample, [v(1)]);
    const early = await checkBuild(sample);
    const died = await of().beginCheck(early, asked, resolved(), never);
    await died[Symbol.asyncDispose]();
    await using again = await of().beginCheck(early, asked, resolved(), never);
    expect(again.skip).toBeUndefined();
  });
  test('of an image not within its interval, nor after a success since the build started', async () => {
    const { teamId, pipelineId } = await newPipeline();
    const newBuild = async () =>
      info(
        (await createOneOffBuild(db.pool, { teamId, pipelineId }, { plan: { id: '1', do: [] }, publicPlan: {} })).id,
        teamId,
        pipelineId,
      );
    const image = (options: Partial<CheckPlan>): CheckPlan => {
      const { resource: _, ...rest } = plan({ source: {}, ...options });
      return rest;
    };
    const what = resolved({ image: String(pipelineId) });
    const begin = async (build: BuildInfo, how: CheckPlan, versions?: Version[]) => {
      await using session = await of().beginCheck(build, how, what, never);
      if (versions) await session.recordVersions(versions);
      return session.skip;
    };
    const early = await newBuild();
    expect(await begin(early, image({ interval: '1h', resource_type: 't' }), [v(1)])).toBeUndefined();
    expect(await begin(await newBuild(), image({ interval: '1h' }))).toEqual({ latest: v(1) });
    expect(await begin(early, image({ skip_interval: true }))).toEqual({ latest: v(1) });
    expect(await begin(await newBuild(), image({ skip_interval: true }))).toBeUndefined();
    const { rows } = await db.pool.query('SELECT scope_id FROM resource_type WHERE pipeline_id = $1', [pipelineId]);
    expect(rows).toEqual([{ scope_id: expect.any(Number) }]);
  });
});

test('[DB-CHK4] one check of a history at a time; who waited and finds it answered does not run', async () => {
  const sample = await newPipeline();
  const [one, two] = [await checkBuild(sample), await checkBuild(sample)];
  await using elsewhere = new Locks(db.pool);
  const first = await of().beginCheck(one, asked, resolved(), never);
  const waiting = createResources({ pool: db.pool, locks: elsewhere }).beginCheck(two, asked, resolved(), never);
  await first.recordVersions([v(1)]);
  await first[Symbol.asyncDispose]();
  await using second = await waiting;
  expect(second.skip).toEqual({ latest: v(1) });
});

test('[DB-CHK5] the resource shows the last check: when, how it ended, and in which build; and when the next is due', async () => {
  const sample = await newPipeline();
  const build = await checkBuild(sample);
  {
    await using session = await of().beginCheck(build, plan({ interval: '1m' }), resolved(), never);
    await session.recordFailure();
  }
  const resource = await findResource(db.pool, sample.pipelineId, 'r');
  expect(resource).toMatchObject({
    lastCheckSucceeded: false,
    lastCheckBuildId: build.id,
    lastCheckBuildStatus: 'started',
  });
  const { rows } = await db.pool.query(
    'SELECT extract(epoch FROM next_check_at - last_check_ended_at)::int AS seconds FROM resource_scope WHERE id = $1',
    [resource?.scopeId],
  );
  expect(rows).toEqual([{ seconds: 60 }]);
});

test('[DB-CHK11] a check that comes too early is due again when its interval has passed', async () => {
  const sample = await newPipeline();
  await check(sample, [v(1)], plan({ interval: '1m' }));
  expect(await check(sample, [], plan({ interval: '1h' }))).toEqual({ skipped: v(1) });
  const { rows } = await db.pool.query(
    `SELECT extract(epoch FROM next_check_at - last_check_ended_at)::int AS seconds FROM resource_scope
     WHERE resource_id = $1`,
    [sample.resources['r']],
  );
  expect(rows).toEqual([{ seconds: 3600 }]);
});

test('[DB-CHK5] the webs are notified of a next check that is due soon; no check is due within a second', async () => {
  const sample = await newPipeline();
  await using notifications = await Notifications.open(db.pool);
  const heard = Promise.withResolvers<string | undefined>();
  using _subscription = notifications.subscribe('checks', heard.resolve);
  await using session = await of().beginCheck(await checkBuild(sample), plan({ interval: '1ms' }), resolved(), never);
  await session.recordVersions([]);
  expect(await heard.promise).toBe(String(sample.pipelineId));
  const { rows } = await db.pool.query(
    `SELECT extract(epoch FROM next_check_at - last_check_ended_at)::int AS seconds FROM resource_scope
     WHERE resource_id = $1`,
    [sample.resources['r']],
  );
  expect(rows).toEqual([{ seconds: 1 }]);
});

describe('[DB-CHK6] a resource’s history belongs to its configuration', () => {
  test('another source, or another image of its type, is another one that begins with nothing; the same is the same', async () => {
    const sample = await newPipeline();
    await check(sample, [v(1)], asked, resolved({ uri: 'a', branch: 'b' }));
    await check(sample, [v(2)], asked, resolved({ branch: 'b', uri: 'a' }));
    expect(await history(sample)).toEqual([v(1), v(2)]);
    expect(await check(sample, [v(3)], asked, resolved({ uri: 'b' }))).toEqual({ from: undefined, latest: v(3) });
    expect(await history(sample)).toEqual([v(3)]);
    await check(sample, [v(4)], asked, resolved({ uri: 'b' }, 'cache-1'));
    expect(await history(sample)).toEqual([v(4)]);
    await check(sample, [], asked, resolved({ uri: 'a', branch: 'b' }));
    expect(await history(sample)).toEqual([]); // the first one went with its configuration
  });
  test('two resources of one configuration have one each', async () => {
    const [one, two] = [await newPipeline(), await newPipeline()];
    await check(one, [v(1)]);
    expect(await history(two)).toEqual([]);
    await check(two, [v(2)]);
    expect(await history(one)).toEqual([v(1)]);
  });
});

test('[DB-CHK7] a check of a deleted resource fails with its name', async () => {
  const sample = await newPipeline();
  const build = await checkBuild(sample);
  const begin = of().beginCheck(build, plan({ resource: 'gone' }), resolved(), never);
  await expect(begin).rejects.toThrow("resource 'gone' has been deleted from the pipeline");
});

test('[DB-CHK8] versions for a history that went while the check ran are dropped', async () => {
  const sample = await newPipeline();
  await using session = await of().beginCheck(await checkBuild(sample), asked, resolved(), never);
  await check(sample, [v(5)], asked, resolved({ changed: true }));
  expect(await session.recordVersions([v(1)])).toEqual({ latest: v(1) });
  expect(await history(sample)).toEqual([v(5)]);
});

describe('[DB-OUT1] a version that a build puts', () => {
  const put = async (build: BuildInfo, version: Version, what = resolved()) =>
    of().saveOutput(build, { ...plan(), name: 'out', resource: 'r' }, what, version, [{ name: 'k', value: 'v' }]);

  test('is the newest version if it was not known, with its metadata, and is a reason to schedule', async () => {
    const sample = await newPipeline();
    await check(sample, [v(1), v(2)]);
    const build = await checkBuild(sample);
    expect(await requests(sample, () => put(build, v(3)))).toEqual({ apart: 0, direct: 1, passed: 0 });
    expect(await requests(sample, () => put(build, v(1)))).toEqual({ apart: 0, direct: 0, passed: 0 });
    expect(await history(sample)).toEqual([v(1), v(2), v(3)]);
    await put(build, v(3)); // again, after a restart
    const { rows } = await db.pool.query(
      'SELECT name, version FROM build_output WHERE build_id = $1 ORDER BY version',
      [build.id],
    );
    expect(rows).toEqual([
      { name: 'out', version: v(1) },
      { name: 'out', version: v(3) },
    ]);
    const { versions } = await listVersions(db.pool, sample.resources['r'] ?? 0, v(3), { limit: 1 });
    expect(versions[0]?.metadata).toEqual([{ name: 'k', value: 'v' }]);
  });

  test('makes its configuration’s history that of the resource', async () => {
    const sample = await newPipeline();
    await check(sample, [v(1)]);
    await put(await checkBuild(sample), v(7), resolved({ other: true }));
    expect(await history(sample)).toEqual([v(7)]);
  });
});

test('[DB-OUT2] metadata that a get finds out is added to a version that is known', async () => {
  const sample = await newPipeline();
  await check(sample, [v(1)]);
  const build = await checkBuild(sample);
  await of().saveInputMetadata(build, 'r', v(1), [{ name: 'k', value: 'nul \u0000' }]);
  await of().saveInputMetadata(build, 'r', v(2), [{ name: 'k', value: 'unknown' }]);
  const { versions } = await listVersions(db.pool, sample.resources['r'] ?? 0, {}, { limit: 9 });
  expect(versions).toMatchObject([{ version: v(1), metadata: [{ name: 'k', value: 'nul \u0000' }] }]);
});
