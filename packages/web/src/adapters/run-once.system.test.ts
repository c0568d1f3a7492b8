import type { Plan } from '@seaplane/config';
import { Credentials } from '@seaplane/credentials';
import {
  createJournal,
  createOneOffBuild,
  createRecords,
  createResources,
  ensureMainTeam,
  findBuild,
  Locks,
} from '@seaplane/db';
import { createTestDatabase, type Death, mortalPool, type TestDatabase } from '@seaplane/db/testing';
import { Drained, walkBuild } from '@seaplane/engine';
import {
  Artifacts,
  PlacementPolicy,
  RoomQueue,
  SandboxWatch,
  type StepWorker,
  systemClock,
} from '@seaplane/orchestrator';
import { InMemoryHost, type Program } from '@seaplane/orchestrator/testing';
import { StoredPipelines } from '@seaplane/scheduler';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { engineSeams } from './engine-seams.ts';
import { YamlThreads } from './yaml-threads.ts';

vi.setConfig({ testTimeout: 120_000 });

const PLANS: Readonly<Record<'put' | 'task', Plan>> = {
  put: { id: '1', put: { name: 'out', type: 'mock', source: {}, image: { base_type: 'mock' } } },
  task: {
    id: '1',
    task: { name: 'unit', privileged: false, config: { platform: 'linux', rootfs_uri: 'x', run: { path: 'run' } } },
  },
};

let database: TestDatabase;
let teamId: number;
beforeAll(async () => {
  database = await createTestDatabase();
  teamId = (await ensureMainTeam(database.pool, {})).id;
});
afterAll(() => database[Symbol.asyncDispose]());

/** A host that counts how often a process ran. The process answers as a put's script does. */
function countingHost() {
  const counted = { runs: 0 };
  const program: Program = async ({ stdout }) => {
    counted.runs++;
    stdout('{"version":{"ref":"a"}}');
    return 0;
  };
  const host = new InMemoryHost('worker-1', { '/opt/resource/out': program, run: program });
  return { host, counted };
}

async function newBuild(plan: Plan): Promise<number> {
  return (await createOneOffBuild(database.pool, { teamId }, { plan, publicPlan: {} })).id;
}

/** Walks the build as one web does, and ends it. */
async function walk(pool: pg.Pool, host: InMemoryHost, id: number, plan: Plan): Promise<string> {
  await using parts = new AsyncDisposableStack();
  const locks = parts.use(new Locks(database.pool));
  const watch = parts.use(new SandboxWatch(host, () => {}));
  const identity = { issuer: 'http://test', newestKey: async () => undefined };
  const credentials = parts.use(new Credentials({ clock: systemClock, identity, onError: () => {} }));
  const baseTypes = { mock: { image: 'mock:1', privileged: false } };
  const room = new RoomQueue(watch, systemClock);
  const worker: StepWorker = {
    name: host.name,
    host,
    watch,
    platform: 'linux',
    tags: [],
    baseTypes,
    state: 'running',
    room,
  };
  const workers = { workers: () => [worker] };
  const records = createRecords({ pool, locks });
  const artifacts = new Artifacts(records, workers.workers, () => {});
  const resources = createResources({ pool, locks });
  const yaml = parts.use(new YamlThreads());
  const seams = {
    records,
    artifacts,
    credentials,
    resources,
    yaml,
    workers,
    placement: new PlacementPolicy(systemClock),
    redactSecrets: false,
    stepDefaults: {},
    onError: () => {},
  };
  const common = { pool, clock: systemClock, storedPipelines: new StoredPipelines(), ...seams };
  const build = { id, name: '1', teamId, teamName: 'main', externalUrl: 'http://test' };
  const journal = createJournal(pool, id);
  const never = new AbortController().signal;
  const { status } = await walkBuild(engineSeams(common)(build, journal), build, plan, { abort: never, drain: never });
  await journal.finish(status);
  return status;
}

/** Walks the build in a web that is killed at its n-th statement. Returns whether the web got to its end before. */
async function walkAndDie(
  host: InMemoryHost,
  id: number,
  plan: Plan,
  statements: number,
  death: Death,
): Promise<boolean> {
  return walk(mortalPool(database.pool, statements, death), host, id, plan).then(
    () => true,
    () => false,
  );
}

async function statusOf(id: number): Promise<string | undefined> {
  return (await findBuild(database.pool, id))?.status;
}

const CASES = [
  { kind: 'put', death: 'before' },
  { kind: 'put', death: 'after' },
  { kind: 'task', death: 'after' },
] as const;

describe.each(CASES)('[ONCE1] a web that is killed $death any statement of a $kind', ({ kind, death }) => {
  const plan = PLANS[kind];

  test('leaves a step that the next web ends; its process runs once', async () => {
    for (let statements = 0, ended = false; !ended; statements++) {
      const { host, counted } = countingHost();
      const id = await newBuild(plan);
      ended = await walkAndDie(host, id, plan, statements, death);
      if ((await statusOf(id)) === 'started') expect(await walk(database.pool, host, id, plan)).toBe('succeeded');
      expect({ statements, ...counted }).toEqual({ statements, runs: 1 });
    }
  });

  test('leaves a step that does not run again when its sandbox has been lost', async () => {
    for (let statements = 0, ended = false; !ended; statements++) {
      const { host, counted } = countingHost();
      const id = await newBuild(plan);
      // The first web starts the process, and loses the build before it can record a result.
      const started = untilStarted(host);
      const first = walk(database.pool, host, id, plan);
      first.catch(() => {});
      await started;
      await createJournal(database.pool, id).pen();
      for (const handle of await host.list()) await host.destroy(handle);
      await expect(first).rejects.toBeInstanceOf(Drained);
      // The second web finds that the sandbox has gone, and dies somewhere on the way.
      ended = await walkAndDie(host, id, plan, statements, death);
      if ((await statusOf(id)) === 'started') expect(await walk(database.pool, host, id, plan)).toBe('errored');
      expect({ statements, ...counted }).toEqual({ statements, runs: 1 });
    }
  });
});

/** Resolves when a process was started. The web that did so never hears of it. */
function untilStarted(host: InMemoryHost): Promise<void> {
  const started = Promise.withResolvers<void>();
  const { connect } = host;
  host.connect = async (handle) => {
    host.connect = connect;
    const client = await connect.call(host, handle);
    const { run } = client;
    client.run = async (request, signal) => {
      await run.call(client, request, signal);
      started.resolve();
      return new Promise(() => {});
    };
    return client;
  };
  return started.promise;
}

test('[ONCE2] a web that slept while another one ended its build starts nothing when it wakes', async () => {
  const { host, counted } = countingHost();
  const id = await newBuild(PLANS.put);
  const asked = Promise.withResolvers<void>();
  const asleep = Promise.withResolvers<void>();
  const { create } = host;
  host.create = async (spec) => {
    host.create = create;
    asked.resolve();
    await asleep.promise;
    return create.call(host, spec);
  };
  const first = walk(database.pool, host, id, PLANS.put);
  first.catch(() => {});
  await asked.promise;
  expect(await walk(database.pool, host, id, PLANS.put)).toBe('succeeded');
  for (const handle of await host.list()) await host.destroy(handle);
  await database.pool.query('DELETE FROM sandbox WHERE build_id = $1', [id]); // collected
  asleep.resolve();
  await expect(first).rejects.toBeInstanceOf(Drained);
  expect(counted.runs).toBe(1);
});
