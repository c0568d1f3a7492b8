import { expect, test } from 'vitest';
import { createTestDatabase } from '../testing/test-database.ts';
import { findComponent, listComponents, pauseComponent, recordComponentRun, registerComponent } from './components.ts';

test('[DB-CMP1] a component keeps its last run and whether it is paused, whoever registers it again', async () => {
  await using db = await createTestDatabase();
  expect(await registerComponent(db.pool, 'scheduler', 10_000)).toEqual({
    name: 'scheduler',
    intervalMs: 10_000,
    paused: false,
  });
  await recordComponentRun(db.pool, 'scheduler');
  expect(await pauseComponent(db.pool, 'scheduler', true)).toBe(true);
  expect(await pauseComponent(db.pool, 'none', true)).toBe(false);
  const again = await registerComponent(db.pool, 'scheduler', 5_000);
  expect(again).toMatchObject({ intervalMs: 5_000, paused: true, lastRanAt: expect.any(Date) });
  expect(await findComponent(db.pool, 'scheduler')).toEqual(again);
  await registerComponent(db.pool, 'gc', 1);
  await pauseComponent(db.pool, 'all', false);
  expect((await listComponents(db.pool)).map(({ name, paused }) => [name, paused])).toEqual([
    ['gc', false],
    ['scheduler', false],
  ]);
});
