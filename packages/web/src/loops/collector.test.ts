import { createCheckBuild, findBuild, finishBuild } from '@seaplane/db';
import { createTestDatabase, sampleResource, saveSample, type TestDatabase } from '@seaplane/db/testing';
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
  readonly sandboxes = new Set<string>();
  readonly artifacts = new Set<string>();

  constructor(name: string) {
    this.name = name;
  }

  async list() {
    return [...this.sandboxes];
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
  await clock.advance(1);
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
