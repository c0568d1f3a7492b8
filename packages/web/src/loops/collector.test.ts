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

async function sweep(...hosts: CollectedHost[]): Promise<void> {
  const onError = (error: unknown, what: string) => void problems.push(`${what}: ${(error as Error).message}`);
  const { look } = collector({ pool: database.pool, clock, hosts: () => hosts, onError });
  await look(new AbortController().signal, () => {});
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

test('[GC1] an unknown sandbox is destroyed, unless it is so young that a web may be about to record it', async () => {
  const host = new FakeHost('w');
  host.sandboxes.set('stray', new Date(clock.now().getTime() - HOUR_MS)).set('young', clock.now());
  host.artifacts.add('unknown');
  await sweep(host);
  expect([...host.sandboxes.keys()]).toEqual(['young']);
  expect(host.artifacts.size).toBe(0);
  expect(problems).toEqual([]);
});

test('[GC2] a worker that does not answer is reported, and the others are swept', async () => {
  const [away, there] = [new FakeHost('away'), new FakeHost('there')];
  away.list = async () => {
    throw new Error('no route');
  };
  there.sandboxes.set('stray', new Date(0));
  await sweep(away, there);
  expect(there.sandboxes.size).toBe(0);
  expect(problems).toEqual(['collecting on away: no route']);
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
  await sweep();
  expect((await database.pool.query('SELECT FROM build')).rowCount).toBe(1);
  expect(await findBuild(database.pool, check?.id ?? 0)).toBeDefined(); // users may still read its log
});
