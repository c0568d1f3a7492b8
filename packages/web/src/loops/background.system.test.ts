import {
  abortBuild,
  createJobBuild,
  destroyPipeline,
  findBuild,
  findJobBuild,
  findWorker,
  inTransaction,
  Notifications,
  reportWorker,
} from '@seaplane/db';
import { createTestDatabase, recordSandbox, type TestDatabase, withClient } from '@seaplane/db/testing';
import { describe, expect, test, vi } from 'vitest';
import { setPipeline, TestRoom, type TestRoomOptions, TestWorlds } from './testing/test-room.ts';

vi.setConfig({ testTimeout: 60_000 });

const NEVER_MS = 1_000_000;
const PATIENCE = { timeout: 20_000, interval: 20 };

const RUN = 'config: {platform: linux, rootfs_uri: "docker:///busybox", run: {path: run}}';
const PIPELINE = `
resources:
- {name: repo, type: mock, source: {}}
- {name: often, type: mock, source: {}, check_every: 1s}
- {name: out, type: mock, source: {}, check_every: never}
jobs:
- name: unit
  plan: [{get: repo, trigger: true}, {task: test, ${RUN}}]
- name: ship
  plan: [{get: repo, trigger: true, passed: [unit]}, {put: out, no_get: true}]
- name: asked
  plan: [{get: repo}]
- name: always
  plan: [{get: often, trigger: true}]
- name: push
  plan: [{put: out, no_get: true}]
- name: long
  plan: [{task: long, ${RUN}}]
- name: serial
  serial: true
  plan: [{task: turn, ${RUN}}]
`;

/** A database with a pipeline, for the rooms of one test. */
class Ground implements AsyncDisposable {
  readonly database: TestDatabase;
  readonly jobs: Record<string, number>;
  readonly worlds = new TestWorlds();
  readonly end = Promise.withResolvers<void>();
  readonly #surroundings: Surroundings;

  private constructor(database: TestDatabase, jobs: Record<string, number>, surroundings: Surroundings) {
    this.database = database;
    this.jobs = jobs;
    this.#surroundings = surroundings;
    this.worlds.scripts['repo'] = { versions: [{ v: '1' }] };
    this.worlds.scripts['long'] = { until: () => this.end.promise };
  }

  static async open(surroundings: (database: TestDatabase) => Promise<Surroundings>): Promise<Ground> {
    const database = await createTestDatabase();
    const jobs = await setPipeline(database.pool, 'p', PIPELINE);
    return new Ground(database, jobs, await surroundings(database));
  }

  room(options: Pick<TestRoomOptions, 'hosts'> = {}): TestRoom {
    const { notifications, sweepMs } = this.#surroundings;
    return new TestRoom({ pool: this.database.pool, worlds: this.worlds, notifications, sweepMs, ...options });
  }

  async trigger(job: string): Promise<number> {
    return (await createJobBuild(this.database.pool, { jobId: this.jobs[job] ?? 0 })).id;
  }

  async until(buildId: number, status: string): Promise<void> {
    const build = () => findBuild(this.database.pool, buildId);
    await vi.waitFor(async () => expect((await build())?.status).toBe(status), PATIENCE);
  }

  async untilStarted(step: string, times = 1): Promise<void> {
    await vi.waitFor(() => expect(this.worlds.started(step)).toBeGreaterThanOrEqual(times), PATIENCE);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#surroundings.close();
    await this.database[Symbol.asyncDispose]();
  }
}

interface Surroundings extends Pick<TestRoomOptions, 'notifications' | 'sweepMs'> {
  close(): Promise<void>;
}

/** Nothing that is told is heard: only the sweeps are left. */
async function deaf(): Promise<Surroundings> {
  return { notifications: { subscribe: () => ({ [Symbol.dispose]() {} }) }, sweepMs: 40, close: async () => {} };
}

/** Everything that is told is heard, and nobody looks by themselves. */
async function sweepless({ pool }: TestDatabase): Promise<Surroundings> {
  const notifications = await Notifications.open(pool);
  return { notifications, sweepMs: NEVER_MS, close: () => notifications.close() };
}

describe.concurrent.each([
  { how: '[ROOM2] though every notification is lost', surroundings: deaf },
  { how: '[ROOM3] without a sweep', surroundings: sweepless },
])('$how', ({ surroundings }) => {
  test('a new version goes through the pipeline', async () => {
    await using ground = await Ground.open(surroundings);
    await using room = ground.room();
    const { pool } = ground.database;
    const shipped = async () => (await findJobBuild(pool, ground.jobs['ship'] ?? 0, '1'))?.status;
    await vi.waitFor(async () => expect(await shipped()).toBe('succeeded'), PATIENCE);
    expect(ground.worlds.started('test')).toBe(1);
    expect(room.problems).toEqual([]);
  });

  test('a build that somebody asks for waits for its check, and runs', async () => {
    await using ground = await Ground.open(surroundings);
    await using _room = ground.room();
    await ground.until(await ground.trigger('asked'), 'succeeded');
  });

  test('builds that queue for a slot run one after another', async () => {
    await using ground = await Ground.open(surroundings);
    await using _room = ground.room();
    for (const build of [await ground.trigger('serial'), await ground.trigger('serial')])
      await ground.until(build, 'succeeded');
  });

  test('a running build is aborted', async () => {
    await using ground = await Ground.open(surroundings);
    await using _room = ground.room();
    const build = await ground.trigger('long');
    await ground.untilStarted('long');
    await abortBuild(ground.database.pool, build);
    await ground.until(build, 'aborted');
  });

  test('a check is made again when it is due', async () => {
    await using ground = await Ground.open(surroundings);
    await using _room = ground.room();
    await ground.untilStarted('often', 2);
  });

  test('what a web lets go of another takes over, and no process runs twice', async () => {
    await using ground = await Ground.open(surroundings);
    const first = ground.room();
    const build = await ground.trigger('long');
    await ground.untilStarted('long');
    await using second = ground.room();
    await first[Symbol.asyncDispose]();
    ground.end.resolve();
    await ground.until(build, 'succeeded');
    expect(ground.worlds.started('long')).toBe(1);
    expect([...first.problems, ...second.problems]).toEqual([]);
  });

  test('the sandbox of a build that has succeeded is destroyed', async () => {
    const handles = new Set(['h']);
    const host = {
      name: 'w',
      list: async () => [...handles].map((handle) => ({ handle, createdAt: new Date() })),
      destroy: async (handle: string) => void handles.delete(handle),
      store: async () => ({ listArtifacts: async () => [], deleteArtifact: async () => {} }),
    };
    await using ground = await Ground.open(surroundings);
    const { pool } = ground.database;
    const build = await ground.trigger('long');
    const labels = { type: 'task', team: 'main', step: 'long' } as const;
    const owner = { buildId: build, planId: '1' };
    await recordSandbox(pool, { handle: 'h', worker: 'w', owner, labels, workingDirectory: '/', user: '' });
    await using _room = ground.room({ hosts: [host] });
    await ground.untilStarted('long');
    expect(handles).toContain('h');
    ground.end.resolve();
    await vi.waitFor(() => expect(handles.size).toBe(0), PATIENCE);
    await ground.until(build, 'succeeded');
  });
});

describe.concurrent('on one database', () => {
  test('[ROOM8] a worker that no web reports any more is stalled', async () => {
    await using ground = await Ground.open(deaf);
    await using _room = ground.room();
    const { pool } = ground.database;
    const report = {
      name: 'w',
      platform: 'linux',
      tags: [],
      version: '1',
      baseTypes: [],
      problems: [],
      usable: true,
      ttlMs: 1,
    };
    await reportWorker(pool, report);
    await vi.waitFor(async () => expect((await findWorker(pool, 'w'))?.state).toBe('stalled'), PATIENCE);
  });

  test('[ROOM4] two webs share the work: every build runs once', async () => {
    await using ground = await Ground.open(sweepless);
    await using _first = ground.room();
    await using _second = ground.room();
    ground.end.resolve();
    const builds = await Promise.all(Array.from({ length: 12 }, () => ground.trigger('long')));
    for (const build of builds) await ground.until(build, 'succeeded');
    expect(ground.worlds.started('long')).toBe(12);
  });

  test('[ROOM5] when the database was away, everything goes on by itself, and no process runs twice', async () => {
    await using ground = await Ground.open(sweepless);
    await using room = ground.room();
    const build = await ground.trigger('long');
    await ground.untilStarted('long');
    const { connection } = ground.database;
    await withClient({ ...connection, database: 'postgres' }, async (admin) => {
      await admin.query(`ALTER DATABASE ${connection.database} ALLOW_CONNECTIONS false`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
        connection.database,
      ]);
      await vi.waitFor(() => expect(room.problems.join()).toMatch(/build \d+: .*build tracker: /), PATIENCE);
      await admin.query(`ALTER DATABASE ${connection.database} ALLOW_CONNECTIONS true`);
    });
    ground.end.resolve();
    await ground.until(build, 'succeeded');
    expect(ground.worlds.started('long')).toBe(1);
    await ground.until(await ground.trigger('asked'), 'succeeded');
  });

  test('[ROOM10] a job that takes long to be scheduled is not in the way of the others', async () => {
    await using ground = await Ground.open(sweepless);
    await using rooms = new AsyncDisposableStack();
    ground.end.resolve();
    await inTransaction(ground.database.pool, async (tx) => {
      await tx.query('SELECT FROM job WHERE id = $1 FOR UPDATE', [ground.jobs['unit']]);
      rooms.use(ground.room()); // whose first look is at all jobs: the pipeline is new
      const toSchedule = () => tx.query('SELECT FROM job WHERE schedule_requested > scheduled');
      await vi.waitFor(async () => expect((await toSchedule()).rowCount).toBe(1), PATIENCE);
      await ground.until(await ground.trigger('long'), 'succeeded');
    });
    await ground.untilStarted('test');
  });

  test('[ROOM11] a step under which the connection to the database breaks is taken up again, and does not fail', async () => {
    await using ground = await Ground.open(sweepless);
    const { pool } = ground.database;
    await using room = ground.room();
    const build = await inTransaction(pool, async (tx) => {
      await tx.query("SELECT FROM resource WHERE name = 'out' FOR UPDATE");
      const id = await ground.trigger('push');
      const broken = () =>
        pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE 'SELECT FROM resource WHERE id%' AND wait_event_type = 'Lock'`,
        );
      await vi.waitFor(async () => expect((await broken()).rowCount).toBeGreaterThan(0), PATIENCE);
      await vi.waitFor(() => expect(room.problems.join()).toContain(`build ${id}: The connection`), PATIENCE);
      return id;
    });
    await ground.until(build, 'succeeded');
    expect(ground.worlds.started('out')).toBe(1);
  });

  test('[ROOM6] a running build whose pipeline is destroyed is let go of', async () => {
    await using ground = await Ground.open(deaf);
    await using room = ground.room();
    const { pool } = ground.database;
    const build = await ground.trigger('long');
    await ground.untilStarted('long');
    await destroyPipeline(pool, (await findBuild(pool, build))?.pipelineId ?? 0);
    const held = () =>
      pool.query(
        `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
         WHERE locktype = 'advisory' AND classid = 1 << 24 AND datname = current_database()`,
      );
    await vi.waitFor(async () => expect((await held()).rowCount).toBe(0), PATIENCE);
    expect(room.problems).toEqual([]);
  });
});
