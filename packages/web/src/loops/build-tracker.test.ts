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
  await using tracker = new BuildTracker({ pool, locks, clock, externalUrl: 'http://test', seamsFor, onError });
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
