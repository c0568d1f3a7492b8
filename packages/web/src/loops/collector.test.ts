import {
  createCheckBuild,
  createJobBuild,
  createJournal,
  createOneOffBuild,
  createRecords,
  ensureMainTeam,
  findBuild,
  finishBuild,
  recordHijack,
} from '@seaplane/db';
import {
  createTestDatabase,
  markSandboxCreated,
  recordSandbox,
  sampleJob,
  sampleResource,
  saveSample,
  type TestDatabase,
} from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CollectedHost, collector } from './collector.ts';

const HOUR_MS = 3_600_000;

const clock = manualClock();
let database: TestDatabase;
let problems: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  problems = [];
});
afterEach(() => database[Symbol.asyncDispose]());

/** Returns a function that sweeps as one web does. */
function collect(...hosts: CollectedHost[]): () => Promise<void> {
  const onError = (error: unknown, what: string) => void problems.push(`${what}: ${(error as Error).message}`);
  const { look } = collector({ pool: database.pool, clock, hosts: () => hosts, onError });
  return async () => void (await look(new AbortController().signal, () => {}));
}

class FakeHost implements CollectedHost {
  readonly name: string;
  /** The requests to the host, in order. */
  readonly asked: string[] = [];
  readonly limits = { roomWaitMs: 0, keptSandboxes: 10 };
  readonly released: string[] = [];
  readonly sandboxes = new Set<string>();
  readonly artifacts = new Set<string>();

  constructor(name: string) {
    this.name = name;
  }

  async list() {
    this.asked.push('list');
    return [...this.sandboxes];
  }

  async release(handle: string): Promise<boolean> {
    this.released.push(handle);
    return true;
  }

  async destroy(handle: string): Promise<void> {
    this.asked.push(`destroy ${handle}`);
    this.sandboxes.delete(handle);
  }

  async store() {
    return {
      listArtifacts: async () => {
        this.asked.push('list artifacts');
        return [...this.artifacts];
      },
      deleteArtifact: async (id: string) => void this.artifacts.delete(id),
    };
  }
}

test('[GC1] a sandbox that has been unknown for a minute is destroyed; before that, a web may be about to record it', async () => {
  const host = new FakeHost('w');
  const sweep = collect(host);
  host.sandboxes.add('stray');
  await sweep();
  await clock.advance(59_000);
  host.sandboxes.add('young');
  await sweep();
  expect([...host.sandboxes]).toEqual(['stray', 'young']);
  await clock.advance(1_000);
  await sweep();
  expect([...host.sandboxes]).toEqual(['young']);
  expect(problems).toEqual([]);
});

test('[GC1] an artifact in a store that has been unknown for an hour is deleted', async () => {
  const host = new FakeHost('w');
  const sweep = collect(host);
  host.artifacts.add('unknown');
  await sweep();
  await clock.advance(HOUR_MS - 1);
  await sweep();
  expect([...host.artifacts]).toEqual(['unknown']);
  await clock.advance(2 * 60_000);
  await sweep();
  expect(host.artifacts.size).toBe(0);
});

test('[GC1] a clock that somebody sets makes nothing older, and nothing younger', async () => {
  const host = new FakeHost('w');
  const sweep = collect(host);
  for (const things of [host.sandboxes, host.artifacts]) things.add('unknown');
  await sweep();
  clock.set(2 * HOUR_MS);
  await sweep();
  expect([...host.sandboxes, ...host.artifacts]).toEqual(['unknown', 'unknown']);
  clock.set(-4 * HOUR_MS);
  await clock.advance(60_000);
  await sweep();
  expect([...host.sandboxes, ...host.artifacts]).toEqual(['unknown']);
  await clock.advance(HOUR_MS);
  await sweep();
  expect(host.artifacts.size).toBe(0);
});

test('[GC2] a worker that does not answer is reported, and the others are swept', async () => {
  const [away, there] = [new FakeHost('away'), new FakeHost('there')];
  away.list = async () => {
    throw new Error('no route');
  };
  there.sandboxes.add('stray');
  const sweep = collect(away, there);
  await sweep();
  await clock.advance(HOUR_MS);
  await sweep();
  expect(there.sandboxes.size).toBe(0);
  expect(problems).toEqual(['collecting on away: no route', 'collecting on away: no route']);
});

async function endedBuilds(count: number, worker: string): Promise<string[]> {
  const { pool } = database;
  const { id: teamId } = await ensureMainTeam(pool, {});
  const handles: string[] = [];
  for (let n = 0; n < count; n++) {
    const { id: buildId } = await createOneOffBuild(pool, { teamId }, { plan: { id: '1', do: [] }, publicPlan: {} });
    const labels = { type: 'task', team: 'main', step: 's' } as const;
    const handle = `${worker}-${buildId}`;
    const owner = { buildId, planId: '1' };
    const noLock = () => Promise.reject(new Error('no lock'));
    const records = createRecords({ pool, locks: { acquire: noLock, tryAcquire: noLock } });
    await records.recordSandbox({ handle, worker, owner, labels, workingDirectory: '/', user: '' });
    await finishBuild(pool, buildId, 'succeeded');
    await pool.query('UPDATE build SET interceptible = false WHERE id = $1', [buildId]);
    handles.push(handle);
  }
  return handles;
}

test('[GC6] the end of a build costs a host nothing but the deletion of what the build had; lists are compared now and then', async () => {
  const host = new FakeHost('w');
  const sweep = collect(host);
  await sweep();
  expect(host.asked).toEqual(['list', 'list artifacts']);
  const handles = await endedBuilds(3, 'w');
  for (const handle of handles) host.sandboxes.add(handle);
  await clock.advance(1_000);
  await sweep();
  expect(host.sandboxes.size).toBe(0);
  expect(host.asked.slice(2).toSorted()).toEqual(handles.map((handle) => `destroy ${handle}`).toSorted());
  await clock.advance(2 * 60_000);
  await sweep();
  expect(host.asked.slice(5)).toEqual(['list', 'list artifacts']);
  expect((await database.pool.query('SELECT FROM sandbox')).rowCount).toBe(0);
});

test('[GC7] sandboxes are destroyed sixteen at a time, and a host that hangs does not delay the others', async () => {
  const [slow, quick] = [new FakeHost('slow'), new FakeHost('quick')];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  slow.destroy = async (handle) => {
    slow.asked.push(handle);
    await released;
  };
  await endedBuilds(40, 'slow');
  for (const handle of await endedBuilds(2, 'quick')) quick.sandboxes.add(handle);
  const sweep = collect(slow, quick)();
  await expect.poll(() => slow.asked.length).toBe(17); // the list, and sixteen
  await expect.poll(() => quick.sandboxes.size).toBe(0);
  release();
  await sweep;
  expect((await database.pool.query('SELECT FROM sandbox')).rowCount).toBe(0);
  expect(problems).toEqual([]);
});

/** A build of a job with one sandbox, in which a process was started. */
async function startedBuild(handle: string, jobId: number): Promise<number> {
  const { id: buildId } = await createJobBuild(database.pool, { jobId });
  const labels = { type: 'task', team: 'main', step: 'unit' } as const;
  const owner = { buildId, planId: '1' };
  await recordSandbox(database.pool, { handle, worker: 'w', owner, labels, workingDirectory: '/', user: 'root' });
  await markSandboxCreated(database.pool, handle, 'root');
  return buildId;
}

test('[GC4] sandboxes whose step has ended give back what they reserve, also if the web that ran the step was killed', async () => {
  const { jobs } = await saveSample(database.pool, { name: 'p' }, { jobs: [sampleJob('j')] });
  const host = new FakeHost('w');
  const ended = await startedBuild('ended', jobs['j'] ?? 0);
  await startedBuild('running', jobs['j'] ?? 0);
  for (const handle of ['ended', 'running']) host.sandboxes.add(handle);
  await collect(host)();
  expect(host.released).toEqual([]);
  await createJournal(database.pool, ended).record({ planId: '1', what: 'result' }, { end: 'errored' });
  await collect(host)();
  expect(host.released).toEqual(['ended']);
  await recordHijack(database.pool, 'ended');
  await collect(host)();
  expect(host.released).toEqual(['ended']); // somebody is in it
  expect(problems).toEqual([]);
});

test('[GC5] of the sandboxes that are kept for people, the oldest go when there are more than the worker keeps', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `j${index}`);
  const { jobs } = await saveSample(database.pool, { name: 'p' }, { jobs: names.map((name) => sampleJob(name)) });
  const host = new FakeHost('w');
  for (const name of names) {
    const buildId = await startedBuild(name, jobs[name] ?? 0);
    host.sandboxes.add(name);
    await finishBuild(database.pool, buildId, 'failed');
  }
  await recordHijack(database.pool, 'j0');
  const refused = await startedBuild('refused', jobs['j0'] ?? 0);
  await database.pool.query("UPDATE sandbox SET state = 'failed' WHERE handle = 'refused'"); // it takes nobody's place
  await finishBuild(database.pool, refused, 'errored');
  await collect(host)();
  expect([...host.sandboxes].sort()).toEqual(names.filter((name) => name !== 'j1').sort());
  expect(problems).toEqual([]);
});

test.each(['creating', 'failed'])(
  '[GC5] a sandbox of an ended build in which no process was started goes at once: %s',
  async (state) => {
    const { jobs } = await saveSample(database.pool, { name: 'p' }, { jobs: [sampleJob('j')] });
    const host = new FakeHost('w');
    const buildId = await startedBuild('waiting', jobs['j'] ?? 0);
    await database.pool.query('UPDATE sandbox SET state = $1', [state]);
    host.sandboxes.add('waiting');
    await collect(host)();
    expect(host.sandboxes.size).toBe(1);
    await finishBuild(database.pool, buildId, 'aborted');
    await collect(host)();
    expect(host.sandboxes.size).toBe(0);
  },
);

test('[GC3] one sweep deletes all old checks, however many there are', async () => {
  const { resources } = await saveSample(database.pool, { name: 'p' }, { resources: [sampleResource('r')] });
  const planned = { plan: { id: '1', do: [] }, publicPlan: {}, manuallyTriggered: true };
  const check = await createCheckBuild(database.pool, { resourceId: resources['r'] ?? 0 }, planned);
  await finishBuild(database.pool, check?.id ?? 0, 'succeeded');
  await database.pool.query(
    `INSERT INTO build (name, team_id, pipeline_id, resource_id, status, started_at, ended_at)
     SELECT 'check', team_id, pipeline_id, resource_id, 'succeeded', started_at, now() - interval '1 hour'
     FROM build, generate_series(1, 1100)`,
  );
  await collect()();
  expect((await database.pool.query('SELECT FROM build')).rowCount).toBe(1);
  expect(await findBuild(database.pool, check?.id ?? 0)).toBeDefined(); // users may still read its log
});
