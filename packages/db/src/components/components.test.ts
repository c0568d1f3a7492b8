import { expect, test } from 'vitest';
import { Notifications } from '../notifications/notifications.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import {
  listComponents,
  pauseAllComponents,
  pauseComponent,
  recordComponentRuns,
  registerComponent,
} from './components.ts';

test('[DB-CMP1] a component keeps its last run and its pause when it is registered again', async () => {
  await using db = await createTestDatabase();
  expect(await registerComponent(db.pool, 'scheduler', 10_000)).toEqual({
    name: 'scheduler',
    intervalMs: 10_000,
    paused: false,
  });
  await recordComponentRuns(db.pool, new Map([['scheduler', 0]]));
  expect(await pauseComponent(db.pool, 'scheduler', true)).toBe(true);
  expect(await pauseComponent(db.pool, 'none', true)).toBe(false);
  const again = await registerComponent(db.pool, 'scheduler', 5_000);
  expect(again).toMatchObject({ intervalMs: 5_000, paused: true, lastRanAt: expect.any(Date) });
  await registerComponent(db.pool, 'gc', 1);
  await pauseAllComponents(db.pool, false);
  expect((await listComponents(db.pool)).map(({ name, paused }) => [name, paused])).toEqual([
    ['gc', false],
    ['scheduler', false],
  ]);
});

test('[DB-CMP2] the last run of a component is the latest that any web has recorded', async () => {
  await using db = await createTestDatabase();
  await registerComponent(db.pool, 'scheduler', 10_000);
  const lastRun = async () => (await listComponents(db.pool))[0]?.lastRanAt?.getTime() ?? 0;
  await recordComponentRuns(
    db.pool,
    new Map([
      ['scheduler', 3_600_000],
      ['none', 0],
    ]),
  );
  const earlier = await lastRun();
  await recordComponentRuns(db.pool, new Map([['scheduler', 1_800_000]]));
  const later = await lastRun();
  expect(later - earlier).toBeGreaterThan(1_700_000);
  await recordComponentRuns(db.pool, new Map([['scheduler', 3_600_000]]));
  expect(await lastRun()).toBe(later);
});

test('[DB-CMP3] pausing and resuming a component notifies every web', async () => {
  await using db = await createTestDatabase();
  await using notifications = await Notifications.open(db.pool);
  const heard: (string | undefined)[] = [];
  using _subscription = notifications.subscribe('components', (payload) => heard.push(payload));
  await registerComponent(db.pool, 'scheduler', 10_000);
  await pauseComponent(db.pool, 'scheduler', true);
  await pauseAllComponents(db.pool, false);
  await expect.poll(() => heard).toEqual(['scheduler', '']);
});
