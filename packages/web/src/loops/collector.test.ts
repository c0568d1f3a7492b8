import { createCheckBuild, findBuild, finishBuild, Locks } from '@seaplane/db';
import { createTestDatabase, sampleResource, saveSample, type TestDatabase } from '@seaplane/db/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type CollectedHost, Collector } from './collector.ts';

const PATIENCE = { timeout: 10_000 };
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let locks: Locks;
let problems: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  locks = new Locks(database.pool);
  problems = [];
});

afterEach(async () => {
  await locks.close();
  await database[Symbol.asyncDispose]();
});

/** Sweeps once, at its start. */
function collector(...hosts: CollectedHost[]): Collector {
  return new Collector({
    pool: database.pool,
    locks,
    notifications: { subscribe: () => ({ [Symbol.dispose]() {} }) },
    hosts: () => hosts,
    onError: (error, what) => problems.push(`${what}: ${(error as Error).message}`),
  });
}

class FakeHost implements CollectedHost {
  readonly name: string;
  readonly sandboxes = new Map<string, Date>();
  readonly artifacts = new Set<string>();

  constructor(name: string) {
    this.name = name;
  }

  async list() {
    return [...this.sandboxes].map(([handle, createdAt]) => ({ handle, createdAt }));
  }

  async destroy(handle: string): Promise<void> {
    this.sandboxes.delete(handle);
  }

  async store() {
    return {
      listArtifacts: async () => [...this.artifacts],
      deleteArtifact: async (id: string) => void this.artifacts.delete(id),
    };
  }
}

test('[GC1] what nobody knows is destroyed, unless it is so young that somebody may be about to write it down', async () => {
  const host = new FakeHost('w');
  host.sandboxes.set('stray', new Date(Date.now() - HOUR_MS)).set('young', new Date());
  host.artifacts.add('unknown');
  await using _collector = collector(host);
  await expect.poll(() => [...host.sandboxes.keys()], PATIENCE).toEqual(['young']);
  await expect.poll(() => host.artifacts.size, PATIENCE).toBe(0);
  expect(problems).toEqual([]);
});

test('[GC2] a worker that is away is told of, and is not in the way of the others', async () => {
  const [away, there] = [new FakeHost('away'), new FakeHost('there')];
  away.list = async () => {
    throw new Error('no route');
  };
  there.sandboxes.set('stray', new Date(0));
  await using _collector = collector(away, there);
  await expect.poll(() => there.sandboxes.size, PATIENCE).toBe(0);
  expect(problems).toEqual(['collecting on away: no route']);
});

test('[GC3] of old checks all are deleted in one sweep, however many there are', async () => {
  const { resources } = await saveSample(database.pool, { name: 'p' }, { resources: [sampleResource('r')] });
  const planned = { plan: { id: '1', do: [] }, publicPlan: {}, manuallyTriggered: true };
  const check = await createCheckBuild(database.pool, { resourceId: resources['r'] ?? 0 }, planned);
  await finishBuild(database.pool, check?.id ?? 0, 'succeeded');
  await database.pool.query(
    `INSERT INTO build (name, team_id, pipeline_id, resource_id, status, started_at, ended_at)
     SELECT 'check', team_id, pipeline_id, resource_id, 'succeeded', started_at, now() - interval '1 hour'
     FROM build, generate_series(1, 1100)`,
  );
  await using _collector = collector();
  const left = async () => (await database.pool.query('SELECT FROM build')).rowCount;
  await expect.poll(left, PATIENCE).toBe(1);
  expect(await findBuild(database.pool, check?.id ?? 0)).toBeDefined(); // its log may still be read
});
