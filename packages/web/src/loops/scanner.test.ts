import { inTransaction } from '@seaplane/db';
import { createTestDatabase, sampleResource, saveSample } from '@seaplane/db/testing';
import { manualClock } from '@seaplane/engine/testing';
import { StoredPipelines } from '@seaplane/scheduler';
import { expect, test } from 'vitest';
import { scanner } from './scanner.ts';

const PATIENCE = { timeout: 10_000 };

test('[ROOM15] checks are started side by side: one that has to wait does not delay the others', async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const names = Array.from({ length: 20 }, (_, n) => `r${n}`);
  const { resources } = await saveSample(pool, { name: 'p' }, { resources: names.map((name) => sampleResource(name)) });
  const onError = (error: unknown) => {
    throw error;
  };
  const storedPipelines = new StoredPipelines();
  const { look } = scanner({ pool, clock: manualClock(), storedPipelines, onError, maxChecksPerSecond: 0 });
  const checked = async () => {
    const { rows } = await pool.query<{ id: number }>('SELECT DISTINCT resource_id AS id FROM build');
    return rows.map(({ id }) => id);
  };
  const slow = resources['r0'] ?? 0;
  const looking = await inTransaction(pool, async (tx) => {
    await tx.query('SELECT FROM resource WHERE id = $1 FOR UPDATE', [slow]);
    const looked = look(new AbortController().signal, () => {});
    await expect.poll(async () => (await checked()).length, PATIENCE).toBe(names.length - 1);
    expect(await checked()).not.toContain(slow);
    return { looked };
  });
  await looking.looked;
  expect((await checked()).length).toBe(names.length);
});

test('[ROOM17] no more checks begin in a second than the operator allows; without a limit, all that are due', async () => {
  await using database = await createTestDatabase();
  const { pool } = database;
  const resources = Array.from({ length: 30 }, (_, n) => sampleResource(`r${n}`));
  await saveSample(pool, { name: 'p' }, { resources });
  const onError = (error: unknown) => {
    throw error;
  };
  const clock = manualClock();
  const { signal } = new AbortController();
  const checked = async () => (await pool.query('SELECT FROM build')).rowCount;
  const scan = async (maxChecksPerSecond: number) => {
    const { look } = scanner({ pool, clock, storedPipelines: new StoredPipelines(), onError, maxChecksPerSecond });
    return () => look(signal, () => {});
  };
  const limited = await scan(5);
  expect(await limited()).toBe(200);
  expect(await checked()).toBe(5);
  expect(await limited()).toBe(200);
  expect(await checked()).toBe(5);
  await clock.advance(400);
  await limited();
  expect(await checked()).toBe(7);
  await clock.advance(60_000);
  await limited();
  expect(await checked()).toBe(12);
  const unset = await scan(0); // at least 20 a second, of 30 resources
  await pool.query('DELETE FROM build');
  await unset();
  expect(await checked()).toBe(20);
  const unlimited = await scan(-1);
  await pool.query('DELETE FROM build');
  await unlimited();
  expect(await checked()).toBe(30);
  await pool.query('DELETE FROM build');
  await unlimited();
  expect(await checked()).toBe(30);
});
