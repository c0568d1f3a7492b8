import {
  abortBuild,
  createJobBuild,
  destroyPipeline,
  findBuild,
  findJobBuild,
  findWorker,
  inTransaction,
  landWorker,
  listComponents,
  Notifications,
  pauseComponent,
  reportWorker,
  retireWorker,
} from '@seaplane/db';
import { createTestDatabase, readEvents, type TestDatabase, withClient } from '@seaplane/db/testing';
import { describe, expect, test, vi } from 'vitest';
import {
  setPipeline,
  startTestWeb,
  type TestWeb,
  type TestWebOptions,
  TestWorker,
} from './testing/test-installation.ts';

vi.setConfig({ testTimeout: 60_000 });

const NEVER_MS = 1_000_000;
const PATIENCE = { timeout: 20_000, interval: 20 };

const task = (name: string) =>
  `{task: ${name}, config: {platform: linux, rootfs_uri: "docker:///busybox", run: {path: task, args: [${name}]}}}`;
const PIPELINE = `
resources:
- {name: repo, type: mock, source: {name: repo, versions: [{v: "1"}]}}
- {name: often, type: mock, source: {name: often}, check_every: 1s}
- {name: out, type: mock, source: {name: out}, check_every: never}
jobs:
- name: unit
  plan: [{get: repo, trigger: true}, ${task('test')}]
- name: ship
  plan: [{get: repo, trigger: true, passed: [unit]}, {put: out, no_get: true}]
- name: asked
  plan: [{get: repo}]
- name: always
  plan: [{get: often, trigger: true}]
- name: push
  plan: [{put: out, no_get: true}]
- name: long
  plan: [${task('long')}]
- name: serial
  serial: true
  plan: [${task('turn')}]
- name: short-memory
  build_log_retention: {builds: 1}
  plan: [${task('turn')}]
`;

/** A database with a pipeline, and a worker, for the webs of one test. */
class Installation implements AsyncDisposable {
  readonly database: TestDatabase;
  readonly jobs: Record<string, number>;
  /** Ends the task `long`. */
  readonly end = Promise.withResolvers<void>();
  readonly worker = new TestWorker('w', { long: this.end.promise, test: Promise.resolve(), turn: Promise.resolve() });
  readonly #surroundings: Surroundings;

  private constructor(database: TestDatabase, jobs: Record<string, number>, surroundings: Surroundings) {
    this.database = database;
    this.jobs = jobs;
    this.#surroundings = surroundings;
  }

  static async open(surroundings: (database: TestDatabase) => Promise<Surroundings>): Promise<Installation> {
    const database = await createTestDatabase();
    const jobs = await setPipeline(database.pool, 'p', PIPELINE);
    return new Installation(database, jobs, await surroundings(database));
  }

  startWeb(): Promise<TestWeb> {
    const { notifications, intervalMs } = this.#surroundings;
    return startTestWeb({ pool: this.database.pool, workers: [this.worker], notifications, intervalMs });
  }

  async trigger(job: string): Promise<number> {
    return (await createJobBuild(this.database.pool, { jobId: this.jobs[job] ?? 0 })).id;
  }

  async until(buildId: number, status: string): Promise<void> {
    const build = () => findBuild(this.database.pool, buildId);
    await vi.waitFor(async () => expect((await build())?.status).toBe(status), PATIENCE);
  }

  async untilStarted(what: string, times = 1): Promise<void> {
    await vi.waitFor(() => expect(this.worker.started(what)).toBeGreaterThanOrEqual(times), PATIENCE);
  }

  async workerState(): Promise<string | undefined> {
    return (await findWorker(this.database.pool, 'w'))?.state;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#surroundings.close();
    await this.database[Symbol.asyncDispose]();
  }
}

interface Surroundings extends Pick<TestWebOptions, 'notifications' | 'intervalMs'> {
  close(): Promise<void>;
}

/** Every notification is lost: only the intervals are left. */
async function deaf(): Promise<Surroundings> {
  return { notifications: { subscribe: () => ({ [Symbol.dispose]() {} }) }, intervalMs: 40, close: async () => {} };
}

/** Every notification arrives, and no interval ends. */
async function sweepless({ pool }: TestDatabase): Promise<Surroundings> {
  const notifications = await Notifications.open(pool);
  return { notifications, intervalMs: NEVER_MS, close: () => notifications.close() };
}

describe.concurrent.each([
  { how: '[ROOM2] when every notification is lost', surroundings: deaf },
  { how: '[ROOM3] when no interval ends', surroundings: sweepless },
])('$how', ({ surroundings }) => {
  test('a new version goes through the pipeline', async () => {
    await using here = await Installation.open(surroundings);
    await using web = await here.startWeb();
    const { pool } = here.database;
    const shipped = async () => (await findJobBuild(pool, here.jobs['ship'] ?? 0, '1'))?.status;
    await vi.waitFor(async () => expect(await shipped()).toBe('succeeded'), PATIENCE);
    expect(here.worker.started('task test')).toBe(1);
    expect(web.problems).toEqual([]);
  });

  test('a triggered build waits for its check, and runs', async () => {
    await using here = await Installation.open(surroundings);
    await using _web = await here.startWeb();
    await here.until(await here.trigger('asked'), 'succeeded');
  });

  test('builds that queue for a slot run one after another', async () => {
    await using here = await Installation.open(surroundings);
    await using _web = await here.startWeb();
    for (const build of [await here.trigger('serial'), await here.trigger('serial')])
      await here.until(build, 'succeeded');
  });

  test('a running build is aborted', async () => {
    await using here = await Installation.open(surroundings);
    await using _web = await here.startWeb();
    const build = await here.trigger('long');
    await here.untilStarted('task long');
    await abortBuild(here.database.pool, build);
    await here.until(build, 'aborted');
  });

  test('a check is repeated when it is due', async () => {
    await using here = await Installation.open(surroundings);
    await using _web = await here.startWeb();
    await here.untilStarted('check often', 2);
  });

  test('another web takes over the builds of a web that stops, and no process runs twice', async () => {
    await using here = await Installation.open(surroundings);
    const first = await here.startWeb();
    const build = await here.trigger('long');
    await here.untilStarted('task long');
    await using second = await here.startWeb();
    await first[Symbol.asyncDispose]();
    here.end.resolve();
    await here.until(build, 'succeeded');
    expect(here.worker.started('task long')).toBe(1);
    expect([...first.problems, ...second.problems]).toEqual([]);
  });

  test('the sandbox of a build that has succeeded is destroyed', async () => {
    await using here = await Installation.open(surroundings);
    await using _web = await here.startWeb();
    const build = await here.trigger('long');
    const handles = () => [...here.worker.specs.values()].filter(({ labels }) => labels.step === 'long');
    await here.untilStarted('task long');
    expect(handles()).toHaveLength(1);
    here.end.resolve();
    await here.until(build, 'succeeded');
    await vi.waitFor(() => expect(handles()).toEqual([]), PATIENCE);
  });

  test('a worker that is to land has landed when its builds have ended', async () => {
    await using here = await Installation.open(surroundings);
    await using _web = await here.startWeb();
    const build = await here.trigger('long');
    await here.untilStarted('task long');
    await landWorker(here.database.pool, 'w');
    here.end.resolve();
    await here.until(build, 'succeeded');
    await vi.waitFor(async () => expect(await here.workerState()).toBe('landed'), PATIENCE);
  });
});

describe.concurrent('on one database', () => {
  test('[ROOM8] a worker that no web reports any more is stalled', async () => {
    await using here = await Installation.open(deaf);
    await using _web = await here.startWeb();
    const { pool } = here.database;
    const report = {
      name: 'away',
      platform: 'linux',
      tags: [],
      version: '1',
      baseTypes: [],
      problems: [],
      usable: true,
    };
    await reportWorker(pool, { ...report, entry: '', ttlMs: 1 });
    await vi.waitFor(async () => expect((await findWorker(pool, 'away'))?.state).toBe('stalled'), PATIENCE);
  });

  test('[ROOM4] two webs share the work: every build runs once', async () => {
    await using here = await Installation.open(sweepless);
    await using _first = await here.startWeb();
    await using _second = await here.startWeb();
    here.end.resolve();
    const builds = await Promise.all(Array.from({ length: 12 }, () => here.trigger('long')));
    for (const build of builds) await here.until(build, 'succeeded');
    expect(here.worker.started('task long')).toBe(12);
  });

  test('[ROOM5] after an outage of the database all work resumes, and no process runs twice', async () => {
    await using here = await Installation.open(sweepless);
    await using web = await here.startWeb();
    const build = await here.trigger('long');
    await here.untilStarted('task long');
    const { connection } = here.database;
    await withClient({ ...connection, database: 'postgres' }, async (admin) => {
      await admin.query(`ALTER DATABASE ${connection.database} ALLOW_CONNECTIONS false`);
      await admin.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [
        connection.database,
      ]);
      await vi.waitFor(() => expect(web.problems.join()).toMatch(/build \d+ failed.*tracker failed/s), PATIENCE);
      await admin.query(`ALTER DATABASE ${connection.database} ALLOW_CONNECTIONS true`);
    });
    here.end.resolve();
    await here.until(build, 'succeeded');
    expect(here.worker.started('task long')).toBe(1);
    await here.until(await here.trigger('asked'), 'succeeded');
  });

  test('[ROOM10] a job that takes long to schedule does not delay the others', async () => {
    await using here = await Installation.open(sweepless);
    await using webs = new AsyncDisposableStack();
    here.end.resolve();
    await inTransaction(here.database.pool, async (tx) => {
      await tx.query('SELECT FROM job WHERE id = $1 FOR UPDATE', [here.jobs['unit']]);
      webs.use(await here.startWeb()); // its first look finds every job, because the pipeline is new
      const toSchedule = () => tx.query('SELECT FROM job WHERE schedule_requested > scheduled');
      await vi.waitFor(async () => expect((await toSchedule()).rowCount).toBe(1), PATIENCE);
      await here.until(await here.trigger('long'), 'succeeded');
    });
    await here.untilStarted('task test');
  });

  test('[ROOM11] a step whose database connection breaks is resumed, and does not fail', async () => {
    await using here = await Installation.open(sweepless);
    const { pool } = here.database;
    await using web = await here.startWeb();
    const build = await inTransaction(pool, async (tx) => {
      await tx.query("SELECT FROM resource WHERE name = 'out' FOR UPDATE");
      const id = await here.trigger('push');
      const broken = () =>
        pool.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE datname = current_database() AND query LIKE 'SELECT FROM resource WHERE id%' AND wait_event_type = 'Lock'`,
        );
      await vi.waitFor(async () => expect((await broken()).rowCount).toBeGreaterThan(0), PATIENCE);
      await vi.waitFor(
        () => expect(web.problems.join()).toContain(`build ${id} failed and is tried again: The connection`),
        PATIENCE,
      );
      return id;
    });
    await here.until(build, 'succeeded');
    expect(here.worker.started('out out')).toBe(1);
  });

  test('[ROOM6] web lets go of a running build whose pipeline is destroyed', async () => {
    await using here = await Installation.open(deaf);
    await using web = await here.startWeb();
    const { pool } = here.database;
    const build = await here.trigger('long');
    await here.untilStarted('task long');
    await destroyPipeline(pool, (await findBuild(pool, build))?.pipelineId ?? 0);
    const held = () =>
      pool.query(
        `SELECT FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
         WHERE locktype = 'advisory' AND classid = 1 << 24 AND datname = current_database()`,
      );
    await vi.waitFor(async () => expect((await held()).rowCount).toBe(0), PATIENCE);
    expect(web.problems).toEqual([]);
  });

  test('[ROOM12] a landed worker stays landed, also when web starts again, until its entry has changed', async () => {
    await using here = await Installation.open(deaf);
    const first = await here.startWeb();
    await vi.waitFor(async () => expect(await here.workerState()).toBe('running'), PATIENCE);
    await landWorker(here.database.pool, 'w');
    const seen = () => first.background.workers.workers()[0]?.state;
    await vi.waitFor(() => expect(seen()).toBe('landed'), PATIENCE); // so a heartbeat has come and gone
    expect(await here.workerState()).toBe('landed');
    await first[Symbol.asyncDispose]();
    const second = await here.startWeb();
    expect(second.background.workers.workers()[0]?.state).toBe('landed');
    await second[Symbol.asyncDispose]();
    expect(await here.workerState()).toBe('landed');
    here.worker.entry = 'another';
    await using _third = await here.startWeb();
    await vi.waitFor(async () => expect(await here.workerState()).toBe('running'), PATIENCE);
  });

  test('[ROOM23] everything is removed from a retired worker, which does not come back', async () => {
    await using here = await Installation.open(sweepless);
    const web = await here.startWeb();
    await vi.waitFor(() => expect(here.worker.specs.size).toBeGreaterThan(0), PATIENCE);
    await retireWorker(here.database.pool, 'w');
    await vi.waitFor(() => expect(web.background.workers.workers()).toEqual([]), PATIENCE);
    await vi.waitFor(() => expect(here.worker.specs.size).toBe(0), PATIENCE);
    expect(await here.workerState()).toBeUndefined();
    await web[Symbol.asyncDispose]();
    await using again = await here.startWeb();
    expect(again.background.workers.workers()).toEqual([]);
  });

  test('[ROOM13] the log of a build that its job does not retain is deleted', async () => {
    await using here = await Installation.open(deaf);
    await using _web = await here.startWeb();
    const { pool } = here.database;
    const builds = [await here.trigger('short-memory'), await here.trigger('short-memory')];
    for (const build of builds) await here.until(build, 'succeeded');
    const events = async (id: number) => (await readEvents(pool, id, 0)).events.length;
    const [older = 0, newer = 0] = builds;
    await vi.waitFor(async () => expect(await events(older)).toBe(0), PATIENCE);
    expect(await events(newer)).toBeGreaterThan(0);
    expect((await findBuild(pool, older))?.reapedAt).toBeInstanceOf(Date);
  });

  test('[ROOM7] a worker that a user lands takes no new steps from then on, not from its next heartbeat', async () => {
    await using here = await Installation.open(sweepless);
    await using web = await here.startWeb();
    await here.trigger('long');
    await here.untilStarted('task long');
    await landWorker(here.database.pool, 'w');
    await vi.waitFor(() => expect(web.background.workers.workers()[0]?.state).toBe('landing'), PATIENCE);
  });

  test('[CMP8] web lists its loops, and records when each last ran', async () => {
    await using here = await Installation.open(deaf);
    await using _web = await here.startWeb();
    const ran = async () => (await listComponents(here.database.pool)).filter(({ lastRanAt }) => lastRanAt);
    const names = [
      'collector',
      'collector_workers',
      'pipeline_pauser',
      'reaper',
      'scanner',
      'scheduler',
      'signing_key_lifecycler',
      'tracker',
    ];
    await vi.waitFor(async () => expect((await ran()).map(({ name }) => name)).toEqual(names), PATIENCE);
  });

  test('[CMP9] a build stays pending while the scheduler is paused, and is not run while the tracker is paused', async () => {
    await using here = await Installation.open(sweepless);
    const { pool } = here.database;
    await (await here.startWeb())[Symbol.asyncDispose](); // registers the components
    for (const name of ['scheduler', 'tracker']) await pauseComponent(pool, name, true);
    await using _web = await here.startWeb();
    const build = await here.trigger('serial');
    await vi.waitFor(async () => expect(await here.workerState()).toBe('running'), PATIENCE); // other loops work
    await here.until(build, 'pending');
    await pauseComponent(pool, 'scheduler', false);
    await here.until(build, 'started');
    expect(here.worker.started('task turn')).toBe(0);
    await pauseComponent(pool, 'tracker', false);
    await here.until(build, 'succeeded');
  });
});
