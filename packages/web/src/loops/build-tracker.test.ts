import { abortBuild, createOneOffBuild, ensureMainTeam, findBuild, Locks } from '@seaplane/db';
import { createTestDatabase } from '@seaplane/db/testing';
import { manualClock, memorySeams, newWorld } from '@seaplane/engine/testing';
import { expect, test } from 'vitest';
import { BuildTracker } from './build-tracker.ts';

const PATIENCE = { timeout: 10_000 };

test('[CMP9] while the tracker is paused, a build that runs can be aborted, and no build is taken', async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  await using locks = new Locks(pool);
  const world = newWorld({ wait: { untilInterrupted: '' } });
  const clock = manualClock();
  const seamsFor: ConstructorParameters<typeof BuildTracker>[0]['seamsFor'] = (_build, journal) =>
    memorySeams(world, journal, clock);
  const onError = (error: unknown) => {
    throw error;
  };
  await using tracker = new BuildTracker({
    pool,
    locks,
    clock,
    externalUrl: 'http://test',
    announceEvents: () => {},
    seamsFor,
    onError,
  });
  const { look, lookPaused } = tracker.component;
  const signal = new AbortController().signal;

  const { id: teamId } = await ensureMainTeam(pool, {});
  const config = { platform: 'linux', rootfs_uri: 'docker:///busybox', run: { path: 'wait' } };
  const plan = { id: '1', task: { name: 'wait', privileged: false, config } };
  const { id: running } = await createOneOffBuild(pool, { teamId }, { plan, publicPlan: {} });
  await look(signal, () => {});
  await expect.poll(() => world.processes.size, PATIENCE).toBe(1);

  const { id: waiting } = await createOneOffBuild(pool, { teamId }, { plan, publicPlan: {} });
  await abortBuild(pool, running);
  await lookPaused?.(signal, () => {});
  await expect.poll(async () => (await findBuild(pool, running))?.status, PATIENCE).toBe('aborted');
  expect((await findBuild(pool, waiting))?.status).toBe('started');
  expect(world.processes.size).toBe(1);
});

test('[ROOM16] webs that take over builds take several at once, and each build is run by one of them', async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const clock = manualClock();
  const taken: number[] = [];
  let asking = 0;
  let most = 0;
  const onError = (error: unknown) => {
    throw error;
  };
  async function openTracker(parts: AsyncDisposableStack): Promise<BuildTracker> {
    const locks = parts.use(new Locks(pool));
    const counted: Pick<Locks, 'tryAcquire'> = {
      async tryAcquire(kind, id) {
        most = Math.max(most, ++asking);
        return locks.tryAcquire(kind, id).finally(() => asking--);
      },
    };
    const world = newWorld({});
    const seamsFor: ConstructorParameters<typeof BuildTracker>[0]['seamsFor'] = (build, journal) => {
      taken.push(build.id);
      return memorySeams(world, journal, clock);
    };
    return parts.use(
      new BuildTracker({
        pool,
        locks: counted,
        clock,
        externalUrl: 'http://test',
        announceEvents: () => {},
        seamsFor,
        onError,
      }),
    );
  }
  await using parts = new AsyncDisposableStack();
  const trackers = [await openTracker(parts), await openTracker(parts)];
  const { id: teamId } = await ensureMainTeam(pool, {});
  const builds: number[] = [];
  for (let n = 0; n < 60; n++) {
    const planned = { plan: { id: '1', do: [] }, publicPlan: {} };
    builds.push((await createOneOffBuild(pool, { teamId }, planned)).id);
  }
  const signal = new AbortController().signal;
  await Promise.all(trackers.map(({ component }) => component.look(signal, () => {})));
  const ended = async () => {
    const { rowCount } = await pool.query("SELECT FROM build WHERE status = 'succeeded'");
    return rowCount;
  };
  await expect.poll(ended, PATIENCE).toBe(builds.length);
  expect(taken.toSorted((a, b) => a - b)).toEqual(builds);
  expect(most).toBeGreaterThan(trackers.length);
});
